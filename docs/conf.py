"""The site's settings for Sphinx; `snakemake site` builds it (src/tcpgoodput/report/site/)."""

from importlib.metadata import version as version_of

project = "TCP over wireless links, recomputed"
author = "the authors of tcpgoodput"
version = release = version_of("tcpgoodput")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "tcpgoodput.report.site.generated",
    "tcpgoodput.report.site.mathml",
]

# Pages are Markdown; notebooks come executed, and are shown as they are.
myst_enable_extensions = ["dollarmath", "amsmath", "html_image", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
nb_merge_streams = True

# Docstrings are Google's form with Markdown's `code`.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
# Other packages' types, documented on the network, which the site does without; and our own rooms'.
nitpick_ignore_regex = [
    ("py:.*", r"(pd|pandas|np|numpy|matplotlib|os|pathlib|typing|collections|abc|pydantic)\..*"),
    ("py:.*", r"(Any|Mapping|Sequence|Literal|ClassVar|Callable|Path|PathLike|NDArray|ABC|Axes)"),
    ("py:.*", r"NoModel|NameTaken|tcpgoodput\.configuration\.problems\.Problem"),
    ("py:.*", r"Style|Advice|tcpgoodput\.(style\.Style|comparison\.census\.expected\.Advice)"),
    ("py:.*", r"(tcpgoodput\.([a-z]+\.)*)?(Study|Matrix|Sample|Validation|Pairs|Ledger|Request)"),
    ("py:.*", r"(tcpgoodput\.([a-z]+\.)*)?(Knowledge|Reading|Described)"),
]

# What is written stays as it is written: options of commands have two hyphens.
smartquotes = False

# Nothing is loaded from elsewhere: no font, no script, no formula's renderer.
html_theme = "furo"
html_title = project
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = html_copy_source = html_show_sourcelink = html_use_index = (
    html_domain_indices
) = False
# A page that is opened as a file cannot read others, whose first lines would be shown.
html_show_search_summary = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7fb8dc", "color-brand-content": "#7fb8dc"},
}
