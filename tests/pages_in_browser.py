"""What the tests of pages in a browser share."""

WIDTHS = (360, 1440)

HOSTILE = (
    "<script>window.stolen = 1</script> <img src=x onerror='window.stolen = 2'> fresh bread "
    "</script><script>window.stolen = 3</script> <!-- \u2028 {{script}}"
)
HOSTILE_LABEL = "<b onclick=alert(1)>food</b>"


def scrolls_sideways(page):
    """Tell whether a page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def focused(page):
    """Return what has the focus: its id, or its tag and text."""
    return page.evaluate(
        """() => {
            const {id, tagName, textContent} = document.activeElement;
            return id || `${tagName} ${textContent}`;
        }"""
    )
