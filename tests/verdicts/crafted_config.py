"""Files config.json that lie on both sides of what is read from them."""

from crafted import Collection
from crafted_safetensors import ESCAPES, KINDS, NUMBERS, TEXTS

INTEGERS = ("num_attention_heads", "n_heads", "n_head", "num_heads", "num_key_value_heads", "head_dim", "rotary_dim",
            "max_position_embeddings", "relative_attention_num_buckets", "relative_attention_max_distance")  # fmt: skip
REALS = ("attn_logit_softcapping", "query_pre_attn_scalar", "attention_multiplier", "rms_norm_eps", "rope_theta",
         "partial_rotary_factor", "rotary_pct")  # fmt: skip
MODELS = ("llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3_text", "cohere", "gptj", "whisper", "gpt_neo", "bert",
          "t5", "mpt", "", "LLAMA")  # fmt: skip
SCALING = ("factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor", "beta_fast",
           "beta_slow", "attention_factor", "rope_theta", "partial_rotary_factor", "unknown")  # fmt: skip
FEW_NUMBERS = ("0", "2", "-2", "2.5", "1e-300", "1e300", "18446744073709551615", '"2"', "null", "true", "[2]", "{}")


def numbers(add):
    for key in INTEGERS + REALS:
        for index, number in enumerate(NUMBERS if key in ("num_heads", "rope_theta") else FEW_NUMBERS):
            add(f"{key}_{index:02d}", f'{{"{key}":{number}}}'.encode())
        add(f"{key}_twice", f'{{"{key}":2,"{key}":2}}'.encode())


def models(add):
    for model in MODELS:
        for extra in ("", ',"rope_theta":10000', ',"position_embedding_type":"rotary"', ',"rope_scaling":null',
                      ',"rope_scaling":{"type":"linear","factor":2}',
                      ',"head_dim":2,"num_key_value_heads":1'):  # fmt: skip
            text = f'{{"model_type":"{model}","num_attention_heads":2{extra}}}'
            add(f"model_{model}_{len(text)}", text.encode())
    for kind, text in KINDS.items():
        for key in ("model_type", "rope_scaling", "rope_parameters", "position_embedding_type"):
            add(f"{key}_is_{kind}", f'{{"{key}":{text},"model_type":"llama"}}'.encode())


def scalings(add):
    for name in ("default", "linear", "yarn", "llama3", "dynamic", "longrope", "su"):
        for key in ("type", "rope_type"):
            full = ",".join(f'"{field}":2' for field in SCALING[:-1])
            own = f'"{key}":"{name}"'
            for index, inner in enumerate((own, f"{own},{full}", f"{full},{own}")):
                for outer in ("rope_scaling", "rope_parameters"):
                    text = f'{{"model_type":"llama","num_heads":2,"{outer}":{{{inner}}}}}'
                    add(f"{outer}_{name}_{key}_{index}", text.encode())
    for field in SCALING:
        for index, number in enumerate(FEW_NUMBERS):
            scaling = f'{{"type":"linear","factor":2,"{field}":{number}}}'
            text = f'{{"model_type":"llama","num_heads":2,"rope_scaling":{scaling}}}'
            add(f"scaling_{field}_{index:02d}", text.encode())


def forms(add):
    for name, text in TEXTS.items():
        add(f"utf8_{name}", b'{"num_heads":2,"x":"%s"}' % text)
    for name, escape in ESCAPES.items():
        add(f"escape_{name}", f'{{"num_heads":2,"x{escape}":"{escape}"}}'.encode())
    for depth in (1, 126, 127, 128, 5000):
        add(f"depth_{depth}", f'{{"x":{"[" * depth}{"]" * depth},"num_heads":2}}'.encode())
    fields = ",".join(f'"k{i}":{i}' for i in range(300))
    add("many_fields", f'{{{fields},"num_heads":2}}'.encode())
    add("many_scalings", f'{{"model_type":"llama","rope_scaling":{{{fields}}},"num_heads":2}}'.encode())
    for index, text in enumerate(("", "{}", "[]", "2", "{", '{"num_heads":2', '{"num_heads":2}x', '{"num_heads":2}\0',
                                  '\ufeff{"num_heads":2}', '{"a":{"num_heads":2}}', '[{"num_heads":2}]')):  # fmt: skip
        add(f"form_{index:02d}", text.encode())


def crafted_config():
    collection = Collection(".json")
    for group in (numbers, models, scalings, forms):
        group(collection.add)
    return collection.files
