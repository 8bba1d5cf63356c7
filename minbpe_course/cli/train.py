"""Train a tokenizer on files or a pipe, and write it in any format."""

from __future__ import annotations

import argparse

from minbpe_course.cli.shared_options import add_counting_args, add_document_args, add_file_args, add_jobs_args

EXAMPLES = """\
minbpe-course train corpus.txt --vocab-size 8000 -o mine.model
minbpe-course train 'data/**/*.txt' --vocab-size 32000 --pattern o200k_base --special '<|endoftext|>' -o tokenizer.json
zcat pages.jsonl.gz | minbpe-course train - --field text --vocab-size 16000 -o mine.tiktoken
minbpe-course count 'data/**/*.txt' -o corpus.counts
minbpe-course train corpus.counts -n 32000 -o mine.model
minbpe-course train 'data/*.txt.zst' -n 32000 --memory 2GB --checkpoint work/ --min-count 2 -o mine.model
minbpe-course train corpus.txt --kind sentencepiece-unigram --vocab-size 8000 --set character_coverage=1.0 -o sp.model
"""

KINDS = ("bpe", "sentencepiece-bpe", "sentencepiece-unigram", "sentencepiece-char", "sentencepiece-word")
TIE_BREAKS = ("first-seen", "greatest-bytes", "smallest-pair", "huggingface")
MODEL_FORMATS = ("minbpe", "gpt2", "tiktoken", "huggingface", "sentencepiece", "tekken")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_args(parser, "text in UTF-8, or one counts file, as count writes it with -o corpus.counts")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the file to write; its name says the format: mine.model, mine.tiktoken, tokenizer.json, tekken.json, or "
        "a folder for vocab.json and merges.txt",
    )
    parser.add_argument("--format", choices=MODEL_FORMATS, help="the format, whatever the name is")
    parser.add_argument(
        "-n",
        "--vocab-size",
        type=int,
        required=True,
        metavar="N",
        help="how many tokens, special tokens among them; exit code 1 where the text has too few pairs for so many",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="bpe",
        help="bpe: byte-level, as GPT's (default); the others: SentencePiece's, as Llama 2's and T5's",
    )
    parser.add_argument(
        "--pattern",
        metavar="NAME_OR_REGEX",
        help="the split pattern of bpe: a name such as gpt2 or o200k_base, a regex, or none (default: that of a counts "
        "file, or cl100k_base)",
    )
    parser.add_argument(
        "--special",
        action="append",
        default=[],
        metavar="TOKEN",
        help="a special token; may be repeated. No merge reaches over one; SentencePiece gets it as a user-defined "
        "symbol",
    )
    parser.add_argument(
        "--tie-break",
        choices=TIE_BREAKS,
        help="which of two equally frequent pairs bpe merges: as minbpe (first-seen, the default), CS336, rustbpe, or "
        "tokenizers",
    )
    parser.add_argument(
        "--min-frequency", type=int, metavar="N", help="bpe merges no pair that occurs less often (default: 1)"
    )
    parser.add_argument(
        "--min-count", type=int, metavar="N", help="bpe learns from no word that occurs less often (default: 1)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of SentencePiece by its own name, such as byte_fallback=true; may be repeated",
    )
    add_counting_args(parser)
    add_document_args(parser)
    add_jobs_args(parser)


def run(args: argparse.Namespace) -> int:
    """Train, write and say what was learned; return 0, or 1 when the text had too few pairs for the size asked for."""
    from minbpe_course.cli.training_work import train

    return 0 if train(args) else 1
