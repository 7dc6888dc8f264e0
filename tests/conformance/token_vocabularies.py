"""Tokenizers whose vocabularies are made from the texts, so that most words have pieces of their own."""

import collections
import json
import unicodedata

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def vocabulary(texts, lowercase):
    """Characters of the texts alone and within words, and the common words and endings."""
    counts = collections.Counter()
    characters = set()
    for text in texts:
        plain = text.decode(errors="replace")
        if lowercase:
            plain = unicodedata.normalize("NFD", plain.lower())
        characters.update(plain)
        counts.update(word for word in plain.split() if len(word) < 20)
    words = [word for word, _ in counts.most_common(4000)]
    pieces = [word[:3] for word in words] + ["##" + word[3:] for word in words] + ["##" + word[2:4] for word in words]
    # A quarter of the characters is left out, so that some words stay unknown.
    kept = [c for c in sorted(characters) if ord(c) % 4 and not c.isspace()]
    return list(
        dict.fromkeys(SPECIAL + kept + ["##" + c for c in kept] + words + [p for p in pieces if p not in ("", "##")])
    )


def added(content, index, **flags):
    return {
        "id": index,
        "content": content,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": False,
    } | flags


def template(cls, sep):
    def special(name, type_id):
        return {"SpecialToken": {"id": name, "type_id": type_id}}

    def sequence(name, type_id):
        return {"Sequence": {"id": name, "type_id": type_id}}

    single = [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": single + [sequence("B", 1), special("[SEP]", 1)],
        "special_tokens": {
            "[CLS]": {"id": "[CLS]", "ids": [cls], "tokens": ["[CLS]"]},
            "[SEP]": {"id": "[SEP]", "ids": [sep], "tokens": ["[SEP]"]},
        },
    }


def tokenizer_json(tokens, normalizer, more=(), processor=None, **model):
    specials = [added(token, i, special=True) for i, token in enumerate(SPECIAL)]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": specials + list(more),
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        }
        | normalizer,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": processor or template(2, 3),
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {token: i for i, token in enumerate(tokens)},
        }
        | model,
    }


def strange_tokens(start):
    """Added tokens that use every flag, some of which begin alike."""
    flags = [
        ("lazy", {"single_word": True}),
        ("new york", {"normalized": True}),
        ("<tag>", {"lstrip": True, "rstrip": True}),
        ("<tag>more", {}),
        ("中文", {"normalized": True}),
        ("Ça", {"normalized": True}),
        ("été", {"rstrip": True}),
        ("é", {"single_word": True, "normalized": True}),
        ("  ", {}),
        ("Größe", {"lstrip": True}),
        ("fox jumps", {"normalized": True, "single_word": True}),
    ]
    return [added(content, start + i, **more) for i, (content, more) in enumerate(flags)]


def variants(folder, texts):
    lower, cased = vocabulary(texts, True), vocabulary(texts, False)
    bert = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
    roberta = {
        "type": "RobertaProcessing",
        "sep": ["[SEP]", 3],
        "cls": ["[CLS]", 2],
        "trim_offsets": True,
        "add_prefix_space": False,
    }
    plain = [token for token in lower if token not in {entry["content"] for entry in strange_tokens(0)}]
    settings = {
        "uncased": tokenizer_json(lower, {}),
        "cased": tokenizer_json(cased, {"lowercase": False}, processor=bert),
        "cased_no_accents": tokenizer_json(lower, {"lowercase": False, "strip_accents": True}),
        "lower_accents": tokenizer_json(cased, {"strip_accents": False}, processor=roberta),
        "not_cleaned": tokenizer_json(lower, {"clean_text": False, "handle_chinese_chars": False}),
        "added": tokenizer_json(plain, {}, strange_tokens(len(plain))),
        "short_words": tokenizer_json(lower, {}, max_input_chars_per_word=5, continuing_subword_prefix=""),
    }
    for name, content in settings.items():
        path = folder / name / "tokenizer.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        yield name, path
