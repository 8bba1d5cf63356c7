"""The page from disk: Python's ids, quick, harmless whatever is typed or packed, readable by everybody."""

from __future__ import annotations

import random
import statistics
from pathlib import Path
from typing import Any

import pytest
from browser import opened, serious_faults
from cases import hostile_text
from mixed_texts import mixed_text
from playground_hands import eventually, ids_shown, in_a_text_box, parts_shown, put

from minbpe_course import BasicTokenizer, RegexTokenizer
from minbpe_course.corpus import course_text
from minbpe_course.errors import MissingFile, NotText, UnknownEncoding, UnreadableModel, UnsupportedModel
from minbpe_course.model import BytePairModel
from minbpe_course.tokenizers.cutting import cutter
from minbpe_course.visual.playground import page as pages
from minbpe_course.visual.playground.word_merges import word_merges

ATTACK = "</script><script>window.hit=1</script><img src=x onerror='window.hit=1'><!--"
STRINGS = 500
