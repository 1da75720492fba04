"""The page as its reader has it, in a browser that a server has let in."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from support.served_page import Served


class Reader:
    """A page in a browser of its own, with all that it asked for and complained about."""

    def __init__(self, browser: Any, server: Served, **options: Any) -> None:
        self.server = server
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.context.set_default_timeout(60_000)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.context.route("**/*", self._note)
        self.page = self.new_page()

    def _note(self, route: Any) -> None:
        self.requests.append(route.request.url)
        route.continue_()

    def new_page(self) -> Any:
        """Return a further tab."""
        page = self.context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def enter(self, address: str = "/") -> None:
        """Open an address with the token in it."""
        self.page.goto(f"{self.server.base}{address}{'&' if '?' in address else '?'}token={self.server.token}")
        self.page.wait_for_selector("main")
        self.page.wait_for_load_state()  # by then its script has run

    def fill(self, **fields: str) -> None:
        """Fill in the form's fields, by their options."""
        for name, value in fields.items():
            field = self.page.locator(f"[name={name}]")
            if not field.is_visible():
                self.page.click("#more > summary")
            (field.select_option if field.evaluate("field => field.tagName") == "SELECT" else field.fill)(value)

    def ask(self, **fields: str) -> str:
        """Fill in the form, ask, and return the title of the answer."""
        self.fill(**fields)
        self.page.click("button.main")
        return self.title()

    def title(self, page: Any = None) -> str:
        """Return the title of the answer, once it is there."""
        answer = (page or self.page).locator("#reply:not(.stale) [data-title]")
        answer.wait_for()
        return answer.get_attribute("data-title")

    def problem(self) -> str:
        """Return the sentence that is announced instead of an answer."""
        alert = self.page.locator("#reply:not(.stale) [role=alert]")
        alert.wait_for()
        return alert.inner_text()

    def wait_until(self, true: Callable[[], object]) -> None:
        """Ask until it is so: waiting inside the page would compile text, which the page's policy forbids."""
        patience = time.monotonic() + 30
        while not true():
            assert time.monotonic() < patience
            time.sleep(0.02)

    def check_quiet(self, *allowed: str) -> None:
        """Check that no request left the host, and that the console has only what is allowed."""
        assert {urlsplit(each).netloc for each in self.requests if not each.startswith("data:")} == {
            urlsplit(self.server.base).netloc
        }
        assert [each for each in self.complaints if not each.startswith(allowed or ("\0",))] == []
