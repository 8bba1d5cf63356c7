"""Text to words: the splitter of a pattern, blocks of a long text, places where a text may be cut."""
