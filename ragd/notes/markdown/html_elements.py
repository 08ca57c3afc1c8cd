"""The names that make `<name>` an HTML tag, not a placeholder or a comparison. Data only."""
# A list of words is easier to read as text.
# ruff: noqa: SIM905

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q ruby s samp small"
    " span strike strong sub sup tt u var wbr".split()
)

# Left out on purpose: `<path>`, `<source>`, `<title>`, `<text>` and similar names. With attributes
# they count as tags; alone they are mostly placeholders, and the word stays.
KNOWN = INLINE | frozenset(
    "address applet article aside audio basefont bgsound blink blockquote body br button canvas"
    " caption center colgroup dd details dialog div dl dt embed fieldset figcaption figure footer"
    " foreignobject form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img"
    " input isindex keygen legend li listing main marquee math meta nav noembed noframes noscript"
    " ol optgroup option p picture plaintext pre rb rp rt rtc script section select spacer style"
    " summary svg table tbody td template textarea tfoot th thead tr tspan ul video xmp".split()
)

# Attributes without a value: `<input disabled>` is a tag, `<b and c>` is a comparison.
LONE_ATTRIBUTES = frozenset(
    "allowfullscreen async autofocus autoplay checked compact controls declare default defer"
    " disabled download formnovalidate hidden inert ismap itemscope loop multiple muted nohref"
    " nomodule noresize noshade novalidate nowrap open playsinline readonly required reversed"
    " scoped seamless selected typemustmatch".split()
)
