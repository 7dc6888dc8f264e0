#!/usr/bin/env python3
"""Writes tests/data/token_folders.json: small model folders and what transformers' AutoTokenizer makes of some texts.

Usage: make_token_folders.py [--check]

Needs transformers. With --check the file stays as it is, and the transformers at hand must agree with it. The folders
are those in which transformers 4.57 (with tokenizers 0.22) and 5.24 (with 0.23) agree; check with both.
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

from transformers import AutoTokenizer  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from token_vocabularies import SPECIAL, added, tokenizer_json  # noqa: E402

FILE = HERE / "token_folders.json"
WORDS = [*SPECIAL, *"a ##a A B b ##b bank Bank the The cafe Cafe Café 中 国 中国 x X new ##é < > extra".split()]
NEW = len(WORDS)
TEXTS = ["The Bank Café 中国", "a [MASK] b[SEP]a", "<X> a<x>a < X >a <y>", "a  <extra>  b", "Ab [mask] new anew <z>"]
CLASSES = "BertTokenizer BertTokenizerFast DistilBertTokenizer ElectraTokenizer PreTrainedTokenizerFast".split()
BERT = {"tokenizer_class": "BertTokenizer"}


def token(content, **flags):
    result = added(content, 0, **{"special": True} | flags)
    del result["id"]
    return result


def typed(content, **flags):
    return {"__type": "AddedToken"} | token(content, **flags)


DECODER = {str(i): token(content) for i, content in enumerate(SPECIAL)}
MORE = [added(content, i, special=True) for i, content in enumerate(SPECIAL)]


def decoder(**tokens):
    return {"added_tokens_decoder": DECODER | {name[1:]: value for name, value in tokens.items()}}


def cleaning():
    """What the class makes of tokenizer.json's normalizer: config, change to tokenizer.json, model_type."""
    cased = {"normalizer": {"lowercase": False}}
    for name in CLASSES:
        yield f"cased config of {name}", {"tokenizer_class": name, "do_lower_case": False}, {}, "bert"
        yield f"silent config of {name}", {"tokenizer_class": name}, cased, "bert"
    for model in ("bert", "distilbert", "electra", "modernbert"):
        yield f"cased config of {model}", {"do_lower_case": False}, {}, model
        yield f"silent config of {model}", {}, cased, model
        yield f"no config of {model}", None, cased, model
    yield "config of no model", BERT | {"do_lower_case": False}, {}, None
    for name, config in {
        "accents stay": {"strip_accents": False},
        "cased without accents": {"do_lower_case": False, "strip_accents": True},
        "Chinese stays": {"tokenize_chinese_chars": False},
    }.items():
        yield name, BERT | config, {}, "bert"
    yield "accents of tokenizer.json", BERT, {"normalizer": {"strip_accents": False}}, "bert"
    yield "Chinese of tokenizer.json", BERT, {"normalizer": {"handle_chinese_chars": False}}, "bert"


def tokens():
    """Tokens of tokenizer_config.json and of the other files beside it."""
    mask = {"content": "[MASK]", "lstrip": True, "rstrip": True, "normalized": False, "single_word": False}
    x = f"_{NEW}"
    yield "nothing", {}, {}
    yield "decoder", decoder(**{x: token("<X>")}), {}
    yield "decoder, normalized", decoder(**{x: token("<X>", normalized=True, special=False)}), {}
    yield "decoder with a gap", decoder(**{f"_{NEW + 5}": token("<X>")}), {}
    yield "decoder in another order", decoder(**{f"_{NEW + 1}": token("<X>"), x: token("<y>")}), {}
    yield "decoder with an id that is taken", decoder(_7=token("<X>")), {}
    yield "decoder with other flags", decoder(_4=token("[MASK]", rstrip=True, single_word=True)), {}
    yield "decoder with a word", decoder(**{f"_{WORDS.index('new')}": token("new", single_word=True)}), {}
    more = {"mask_token": "<y>", "additional_special_tokens": ["<z>"]}
    yield "decoder and more", decoder(**{x: token("<X>")}) | more, {}
    yield "mask as object", {"mask_token": typed("[MASK]", lstrip=True)}, {}
    yield "another mask", {"mask_token": "<X>"}, {}
    yield "another mask as object", {"mask_token": typed("<X>", lstrip=True)}, {}
    yield "no mask", {"mask_token": None, "additional_special_tokens": None}, {}
    yield "tokens of beginning and end", {"bos_token": "<X>", "eos_token": "<y>"}, {}
    yield "more special tokens", {"additional_special_tokens": ["<y>", "<X>"]}, {}
    objects = [typed("<extra>", lstrip=True, rstrip=True), "<y>"]
    yield "more special tokens as objects", {"additional_special_tokens": objects}, {}
    yield "special tokens with names", {"extra_special_tokens": {"image_token": "<X>"}}, {}
    ordered = {"mask_token": "<z>", "bos_token": "<X>", "additional_special_tokens": ["<y>"]}
    yield "special tokens in their order", ordered, {}
    yield "mask of the map", {}, {"special_tokens_map.json": {"mask_token": mask}}
    yield "mask of both", {"mask_token": "<y>"}, {"special_tokens_map.json": {"mask_token": "<X>"}}
    yield "more of the map", {}, {"special_tokens_map.json": {"additional_special_tokens": ["<X>", "<y>"]}}
    yield "map beside decoder", decoder(), {"special_tokens_map.json": {"additional_special_tokens": ["<X>"]}}
    yield "added_tokens.json", {}, {"added_tokens.json": {"<y>": NEW + 1, "<X>": NEW}}
    yield "added_tokens.json with a gap", {}, {"added_tokens.json": {"<X>": NEW + 3}}
    yield "added_tokens.json of the vocabulary", {}, {"added_tokens.json": {"[MASK]": 4, "new": WORDS.index("new")}}
    special = {"additional_special_tokens": ["<X>"]}
    yield "added_tokens.json, special", special, {"added_tokens.json": {"<X>": NEW, "<z>": NEW + 1}}
    yield "added_tokens.json beside decoder", decoder(), {"added_tokens.json": {"<X>": NEW}}


def changed_tokens():
    """Added tokens of tokenizer.json that the other files have as well, or that it does not have."""
    x = added("<X>", NEW, special=True)
    yield "in both, with other flags", decoder(**{f"_{NEW}": token("<X>", rstrip=True)}), {}, x
    yield "an id with a gap", {}, {}, x | {"id": NEW + 4}
    yield "in added_tokens.json, too", {}, {"added_tokens.json": {"<X>": NEW}}, x


def folder(name, patch, config, files, model="bert", base="tokenizer.json"):
    more = {} if config is None else {"tokenizer_config.json": config}
    more["config.json"] = {"model_type": model} if model else {}
    return {"name": name, "base": base, "patch": patch, "files": more | files}


def folders():
    for name, config, patch, model in cleaning():
        yield folder(name, patch, config, {}, model)
    for name, config, files in tokens():
        yield folder(name, {}, BERT | config, files)
        yield folder(name, {}, BERT | config, files, base="vocab.txt")
    for name, config, files, more in changed_tokens():
        yield folder(name, {"added_tokens": MORE + [more]}, BERT | config, files)
    yield folder("no added tokens", {"added_tokens": []}, BERT, {})
    yield folder("no added tokens, no class", {"added_tokens": []}, {"tokenizer_class": "PreTrainedTokenizerFast"}, {})


def patched(base, patch):
    """As JSON merge patches are, RFC 7396; none of these takes anything away."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    return base | {key: patched(base.get(key), value) for key, value in patch.items()}


def encode(path, given, base):
    for name, content in given["files"].items():
        (path / name).write_text(json.dumps(content))
    if given["base"] == "vocab.txt":
        (path / "vocab.txt").write_text("".join(word + "\n" for word in WORDS), encoding="utf-8")
    else:
        (path / "tokenizer.json").write_text(json.dumps(patched(base, given["patch"])))
    tokenizer = AutoTokenizer.from_pretrained(path)
    for text in TEXTS:
        encoding = tokenizer(text, return_offsets_mapping=True)
        places = [[len(text[:place].encode()) for place in token] for token in encoding["offset_mapping"]]
        yield [encoding["input_ids"], *map(list, zip(*places))]


def made():
    base = tokenizer_json(WORDS, {})
    result = {"tokenizer": base, "vocabulary": WORDS, "texts": TEXTS, "folders": []}
    for given in folders():
        with tempfile.TemporaryDirectory() as path:
            result["folders"].append(given | {"tokens": list(encode(pathlib.Path(path), given, base))})
    return result


def lines(result):
    start = {key: value for key, value in result.items() if key != "folders"}
    rows = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in result["folders"])
    text = json.dumps(start, ensure_ascii=False, separators=(",", ":"))
    return text[:-1] + ',"folders":[\n' + ",\n".join(rows) + "\n]}\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    result = made()
    if sys.argv[1:] == []:
        FILE.write_text(lines(result), encoding="utf-8")
        return
    there = json.loads(FILE.read_text(encoding="utf-8"))
    different = [a["name"] for a, b in zip(there["folders"], result["folders"], strict=True) if a != b]
    if different:
        sys.exit("transformers says otherwise: " + ", ".join(different))


if __name__ == "__main__":
    main()
