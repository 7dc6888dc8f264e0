"""Small layers of several kinds as weight files, beside what the plain Python reference needs to know of them."""

import json

import modified
from command import CommandTest, read_npy, wave, write_npy, write_safetensors

WIDTH, HEADS, SIZE, LENGTH = 16, 4, 4, 7


def matrix(values, width=WIDTH):
    return [values[i : i + width] for i in range(0, len(values), width)]


def scaled(count, step):
    return [0.5 * value for value in wave(count, step)]


def plain(prefix="", kv_heads=HEADS):
    """Tensors of a layer in the names of Llama's relatives, and the layer."""
    rows = {"q_proj": WIDTH, "k_proj": kv_heads * SIZE, "v_proj": kv_heads * SIZE, "o_proj": WIDTH}
    values = {name: scaled(count * WIDTH, 0.7 + 0.13 * i) for i, (name, count) in enumerate(rows.items())}
    tensors = {f"{prefix}{name}.weight": ([rows[name], WIDTH], values[name]) for name in rows}
    return tensors, modified.Layer(*(matrix(v) for v in values.values()), HEADS, kv_heads)


def rich():
    """Grouped heads with norms and sinks."""
    tensors, layer = plain("model.layers.0.self_attn.", 2)
    norms = [1 + 0.1 * v for v in wave(SIZE, 0.4)], [1 + 0.1 * v for v in wave(SIZE, 1.9)]
    sinks = [0.3, -0.2, 0.9, 0.0]
    prefix = "model.layers.0.self_attn."
    tensors[prefix + "q_norm.weight"] = ([SIZE], norms[0])
    tensors[prefix + "k_norm.weight"] = ([SIZE], norms[1])
    tensors[prefix + "sinks"] = ([HEADS], sinks)
    layer.norms, layer.sinks = norms, sinks
    return tensors, layer


def appended():
    """A key and a value of its own, as bias_k and bias_v."""
    tensors, layer = plain()
    key, value = wave(WIDTH, 0.31), wave(WIDTH, 0.57)
    tensors["bias_k"] = ([1, 1, WIDTH], key)
    tensors["bias_v"] = ([1, 1, WIDTH], value)
    layer.extra = [(key, value)]
    return tensors, layer


def t5():
    tensors, layer = plain()
    names = {"q_proj": "q", "k_proj": "k", "v_proj": "v", "o_proj": "o"}
    start = "encoder.block.0.layer.0.SelfAttention."
    tensors = {start + names[name.split(".")[0]] + ".weight": tensor for name, tensor in tensors.items()}
    table = wave(8 * HEADS, 0.9)
    tensors[start + "relative_attention_bias.weight"] = ([8, HEADS], table)
    layer.scale = 1.0
    # Eight buckets both ways: 0 and 1 alone, then 2 … up to 128 in two buckets; keys after the query start at 4.
    bucket = lambda d: (4 if d > 0 else 0) + (abs(d) if abs(d) < 2 else 2 if abs(d) < 16 else 3)  # noqa: E731
    layer.relative = lambda head, d: table[bucket(d) * HEADS + head]
    return tensors, layer


def write_layer(folder, tensors, config=None):
    if config:
        (folder / "config.json").write_text(json.dumps(config))
    return write_safetensors(folder / "model.safetensors", tensors)


def write_query(folder, batch=1, length=LENGTH):
    values = wave(batch * length * WIDTH, 0.37)
    return write_npy(folder / "x.npy", [batch, length, WIDTH], values), matrix(values)


class LayerTest(CommandTest):
    """A test that runs one of these layers."""

    def use(self, tensors, config=None):
        self.model = write_layer(self.folder, tensors, config)
        self.query, self.rows = write_query(self.folder)

    def run_layer(self, *options):
        given = () if "--heads" in options else ("--heads", HEADS)
        return self.ok("run", self.model, "--query", self.query, "--repeat", "1", *given, *options)

    def results(self, *options):
        """Values of the output and of the weights."""
        output, weights = self.folder / "y.npy", self.folder / "w.npy"
        self.run_layer("--output", output, "--attention", weights, *options)
        return read_npy(output)[1], read_npy(weights)[1]

    def expect(self, layer, *options, positions=None):
        output, weights = self.results(*options)
        expected, expected_weights = modified.attend(layer, self.rows, positions)
        self.assert_close(output, [v for row in expected for v in row])
        self.assert_close(weights, [v for head in expected_weights for row in head for v in row])
