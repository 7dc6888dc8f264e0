"""Where headwise is stricter than the readers that define the formats: each reason with the files that show it.

The test fails for a difference that is not listed, and for a listed one that is gone.
"""

NPY_TYPES = ("f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")

SAFETENSORS = {
    "The format forbids a name twice; the reference lets the last one win.": ["names_same_and_same_bytes"],
    "A metadata key twice hides one of two values, like a name twice.": ["metadata_key_twice"],
    "An entry is an object; that the reference reads arrays too is an accident of its JSON library.": [
        "entry_positional"
    ],
}

NPY = {
    "NumPy evaluates the header as Python; headwise reads the one form that NumPy writes.": [
        "form_comment", "form_escaped_key", "form_joined_key", "form_parentheses", "form_triple_quotes",
        "form_unicode_key", "order_10", "padding_comment", "shape_29", "shape_42", "shape_43", "shape_44",
    ],
    "A key twice hides one of two values.": ["form_key_twice", "type_other_39"],
    "A size of -0 or 00 is written by no program, only by somebody who looks for gaps.": ["shape_27", "shape_41"],
    "A tensor of headwise has at most 8 axes.": ["shape_09", "shape_10", "shape_11", "shape_12"],
    "A type comes with its byte order, as NumPy writes it; for one byte that may be |.": [
        *(f"type_{name}_bare" for name in NPY_TYPES),
        *(f"type_{name}_none" for name in NPY_TYPES if not name.endswith("1")),
        "type_other_13", "type_other_20", "type_other_22", "type_other_23", "type_other_24", "type_other_25",
        "type_other_28",
    ],
    "Complex numbers, texts, raw bytes, dates, long doubles and structures are no weights.": [
        *(f"type_other_{index:02d}" for index in range(2, 11)), "type_other_29", "type_other_31",
    ],
}  # fmt: skip


def stricter_files():
    tables = ((SAFETENSORS, ".safetensors"), (NPY, ".npy"))
    return {name + suffix for table, suffix in tables for names in table.values() for name in names}
