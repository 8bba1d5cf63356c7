"""Model files: one module per format, each with ``read(path)``, ``write(record, path)`` and ``why_not(record)``.

    minbpe_text            NAME.model and NAME.vocab of minbpe
    gpt2_merges            vocab.json and merges.txt; ``gpt2_config`` has the config files of transformers for them
    tiktoken_ranks         NAME.tiktoken
    huggingface_json       tokenizer.json; its parts are in ``huggingface/``
    sentencepiece_proto    NAME.model of SentencePiece, on top of ``protobuf_fields``
    tekken_json            tekken.json of mistral-common

To add a format, write such a module, add one row to ``any_format.FORMATS``, and its name to ``MODEL_FORMATS`` in
``cli/options.py``. If its files can be recognised by their content, teach ``detection`` how. ``json_text`` reads JSON
strictly and names the path of every wrong value.

Formats know the records of ``model``, never the tokenizer classes.
"""
