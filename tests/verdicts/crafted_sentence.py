"""The small files of a model folder (modules.json, its Pooling, limits, prompts, tokenizer_config.json) on both sides of
their rules."""

import json

from crafted import Collection
from crafted_json import forms

VALUES = (None, True, False, 0, 1, -1, 1.5, 1e30, 1 << 24, (1 << 24) + 1, 1 << 64, "", "x", "mean", "cls", "max", [], [1],
          {}, {"x": 1})  # fmt: skip
SETTINGS = {"max_seq_length": 7, "max_position_embeddings": 7, "model_max_length": 7, "do_lower_case": False,
            "prompts": {"q": "query: "}, "default_prompt_name": "q", "pooling_mode_mean_tokens": True}  # fmt: skip
TOKENS = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]",
          "strip_accents": None, "tokenize_chinese_chars": True, "tokenizer_class": "BertTokenizer"}  # fmt: skip
POOLING = ("pooling_mode", "pooling_mode_cls_token", "pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens",
           "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken", "include_prompt")  # fmt: skip
PATHS = ("1_Pooling", "", ".", "..", "../1_Pooling", "/etc", "1_Pooling/..", "2_Pooling", "\0", "n" * 300)


def objects(add):
    for good in (SETTINGS, TOKENS):
        for key in (*good, *POOLING):
            for index, value in enumerate(VALUES):
                add(f"{key}_{len(good)}_{index:02d}", json.dumps(good | {key: value}).encode())
    for index, content in enumerate(("[NEW]", "b", "", "t" * 300, None, 1)):
        for token in ({"content": content}, {"content": content, "lstrip": True, "special": True}, content):
            text = json.dumps(TOKENS | {"added_tokens_decoder": {"6": token}})
            add(f"decoder_{index}_{len(text)}", text.encode())
            add(f"mask_{index}_{len(text)}", json.dumps(TOKENS | {"mask_token": token}).encode())
    for index, key in enumerate(("0", "5", "7", "-1", "x", "", "1e3", "99999999999999999999")):
        add(f"decoder_id_{index}", json.dumps({"added_tokens_decoder": {key: {"content": "<a>"}}}).encode())
    lists = (["<a>", "b"], {"x": "<a>"}, [{"content": "<a>", "lstrip": True}], ["t" * 300], [""])
    for index, tokens in enumerate(lists):
        for key in ("additional_special_tokens", "extra_special_tokens"):
            add(f"more_{key[:5]}_{index}", json.dumps(TOKENS | {key: tokens}).encode())
    for index, value in enumerate((0, 5, 6, 99, 1 << 31, -1, "6", None)):
        add(f"added_{index}", json.dumps({"<a>": value, "b": 5}).encode())
    for index, model in enumerate(("bert", "mpnet", "roberta", "")):
        add(f"model_{index}", json.dumps({"model_type": model, "tokenizer_class": None}).encode())


def modules(add):
    pooling, normalize = {"type": "models.Pooling", "path": "1_Pooling"}, {"type": "models.Normalize"}
    transformer = {"type": "sentence_transformers.models.Transformer", "path": ""}
    for index, listed in enumerate(([], [pooling], [transformer, pooling, normalize], [pooling, pooling], [normalize], [7],
                                    [{"type": "Dense"}], [{}])):  # fmt: skip
        add(f"modules_{index}", json.dumps(listed).encode())
    for index, path in enumerate(PATHS):
        add(f"path_{index}", json.dumps([{"type": "Pooling", "path": path}]).encode())
        add(f"transformer_{index}", json.dumps([{"type": "Transformer", "path": path}, pooling]).encode())


def crafted_sentence():
    add = (collection := Collection(".sentence.json")).add
    forms(add, "prompts", json.dumps(SETTINGS))
    objects(add)
    modules(add)
    return collection.files
