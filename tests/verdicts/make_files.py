"""Makes all crafted files. Usage: make_files.py FOLDER"""

import sys

from crafted import write_files
from crafted_layouts import crafted_safetensors
from crafted_npy import crafted_npy

write_files(crafted_safetensors() + crafted_npy(), sys.argv[1])
