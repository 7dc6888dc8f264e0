"""At least 10,000 lines in many scripts, the same ones at every run: words of many languages, code points of all
blocks, and what trips cleaning of text. `lines()` gives them as bytes, since some are no UTF-8.
"""

import random
import unicodedata

SEED = 20_231_112

WORDS = {
    "english": "the quick brown fox jumps over lazy dogs while researchers benchmark attention unbelievably"
    " antidisestablishmentarianism don't co-operate U.S.A. e-mail 3.14159 naïve café",
    "german": "Straße Größe über Äpfel Übung Fußgängerübergänge Donaudampfschifffahrtsgesellschaft weiß ÖL",
    "french": "élève garçon où déjà œuvre Noël aujourd'hui l'été Ça façade naïveté",
    "spanish": "¿Dónde está el niño? ¡Mañana! pingüino corazón",
    "portuguese": "ação coração não São avó avô",
    "italian": "perché città è più così",
    "polish": "zażółć gęślą jaźń Łódź źrebię ŚWIAT",
    "czech": "příliš žluťoučký kůň úpěl ďábelské ódy",
    "hungarian": "árvíztűrő tükörfúrógép",
    "romanian": "țară știință înțelege ŞI ş",
    "turkish": "İstanbul ısırgan IĞDIR şöyle çağdaş ğ İ ı",
    "vietnamese": "Tiếng Việt đường phố nghĩa ưở ặ",
    "icelandic": "þú ætlar Ðað",
    "greek": "Ελληνική γλώσσα ΟΔΟΣ άνθρωπος Ὀδυσσεύς ᾳ ῷ ς Σ",
    "russian": "Привет мир съешь ещё этих мягких французских булок Ёлка Й",
    "ukrainian": "Їжак ґанок щастя Є",
    "bulgarian": "България ъгъл",
    "georgian": "საქართველო Ⴀ Ა",
    "armenian": "Հայաստան և",
    "hebrew": "שָׁלוֹם עולם בְּרֵאשִׁית ״צה״ל״",
    "arabic": "السَّلَامُ عَلَيْكُمْ مرحبا ١٢٣ ـــ لا",
    "persian": "می‌خواهم سلام",
    "urdu": "اردو زبان ہے",
    "hindi": "नमस्ते दुनिया क़िला हिन्दी ज़",
    "bengali": "বাংলা ভাষা ড়",
    "punjabi": "ਪੰਜਾਬੀ ਖ਼",
    "gujarati": "ગુજરાતી",
    "tamil": "தமிழ் மொழி கௌ",
    "telugu": "తెలుగు భాష",
    "kannada": "ಕನ್ನಡ ೀ",
    "malayalam": "മലയാളം",
    "sinhala": "සිංහල ෝ",
    "thai": "ภาษาไทย กำลัง น้ำ",
    "lao": "ພາສາລາວ ນຳ້",
    "tibetan": "བོད་སྐད་ ཱི",
    "burmese": "မြန်မာ",
    "khmer": "ភាសាខ្មែរ",
    "mongolian": "ᠮᠣᠩᠭᠣᠯ",
    "amharic": "አማርኛ ፡ ።",
    "cherokee": "ᏣᎳᎩ ꭰ",
    "chinese": "中文分词 你好，世界！ 龍龜 㐀 𠀀 豈 更",
    "japanese": "こんにちは世界 カタカナ がぎぐ ﾊﾝｶｸ 々〆 東京タワー ゞ",
    "korean": "한국어 안녕하세요 각 갂 힣 조사",
    "full width": "ＡＢＣ １２３ ｆｕｌｌ！",
    "ligatures": "ﬁ ﬂ ﬃ ĳ Ǆ ǅ ℡ ㎏ ½ ² ①",
    "emoji": "👨‍👩‍👧‍👦 👩🏽‍🚀 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣ 😀 🫠",
    "maths": "∀x∈ℝ: ⌈x⌉ ≤ √2 𝔄𝔟𝖈 𝟙 ∑ ± × ÷ ≠ ∄",
    "symbols": "$100 €5 £3 ¥ ₹ § © ™ ° ¶ † • … – — ‘a’ “b” «c» ‹d› 【e】 `~^_|<>=+",
    "music": "𝅗𝅥 𝅘𝅥𝅮 𝆺𝅥 ♯ ♭",
    "ancient": "𐎠 𐤀 𓀀 𒀀 𐍈 ᚠᛇᚻ 𑀓",
    "special": "[CLS] [SEP] [MASK] [UNK] [PAD] [mask] [MASK]x x[SEP] [ CLS ]",
}

JOINTS = [
    " ",
    " ",
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\u00a0",
    "\u3000",
    "\u2009",
    "\u200b",
    "\u200d",
    "\u00ad",
    "\ufeff",
    "",
    "-",
    "/",
    ". ",
    ", ",
    "\u2028",
    "\r",
    "\x0b",
    "\x85",
    "\x00",
    "\x7f",
    "\x1f",
    "\ufffd",
    "\u0301",
    "\u0323\u0307",
]

BROKEN = [
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\x80\x80",
    b"\xe0\x80\xaf",
    b"\xf0\x80\x80\x80",
    b"\xfe\xff",
    b"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41",
]


def scalars():
    return (code for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def assigned():
    """A sample of every 256 code points, denser where there are letters."""
    return [
        code
        for code in scalars()
        if unicodedata.category(chr(code)) not in ("Cn", "Co") and (code < 0x3000 or code % 37 == 0)
    ]


def word_line(chance, words):
    parts = []
    for _ in range(chance.randint(1, 30)):
        word = chance.choice(words)
        change = chance.randrange(12)
        if change == 0:
            word = word.upper()
        elif change == 1:
            word = unicodedata.normalize(chance.choice(["NFD", "NFC", "NFKC", "NFKD"]), word)
        elif change == 2:
            place = chance.randint(0, len(word))
            word = word[:place] + chance.choice(JOINTS) + word[place:]
        parts += [word, chance.choice(JOINTS) if change < 6 else " "]
    return "".join(parts).encode()


def block_line(chance, codes):
    """Neighbours of one block, since marks and letters of a script stand together."""
    start = chance.randrange(len(codes))
    part = codes[start : start + 60]
    text = "".join(chr(chance.choice(part)) + chance.choice(["", "", " ", "a"]) for _ in range(chance.randint(1, 50)))
    return text.encode()


def broken_line(chance, words):
    line = bytearray(word_line(chance, words))
    for _ in range(chance.randint(1, 5)):
        place = chance.randint(0, len(line))
        line[place:place] = chance.choice(BROKEN)
    if chance.random() < 0.3:
        del line[chance.randrange(len(line)) :]
    return bytes(line)


def hostile_lines():
    yield b""
    yield b"\x00"
    yield b"a\x00b"
    yield b" " * 1000
    yield b"x" * 100
    yield b"x" * 101
    yield "é".encode() * 100
    yield "e\u0301".encode() * 101
    yield "\u4e2d".encode() * 5000
    yield "a\u0323\u0301\u302e\u1b44\u302f".encode() * 2000
    yield ("a" + "\u302e\u1b44" * 3000 + "b").encode()
    yield b"[MASK]" * 500
    yield b"[" * 5000 + b"MASK]"
    yield b"\xff" * 5000
    yield bytes(range(256)) * 3
    yield b"lots of words " * 3000


def lines(count=12_000):
    chance = random.Random(SEED)
    languages = [text.split() for text in WORDS.values()]
    every = [word for words in languages for word in words]
    codes = assigned()
    result = list(hostile_lines())
    while len(result) < count:
        kind = chance.randrange(10)
        if kind < 4:
            result.append(word_line(chance, chance.choice(languages)))
        elif kind < 7:
            result.append(word_line(chance, every))
        elif kind < 9:
            result.append(block_line(chance, codes))
        else:
            result.append(broken_line(chance, every))
    return result
