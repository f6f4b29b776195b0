"""Drives `cairn mcp` with the official Python SDK: a client that is not ours.

`client.py CAIRN`: the program to test. Each thing that holds is said in a line; the first that does not ends it.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters

BROWSER = """navigate navigate_back snapshot click hover type select_option check press_key wait_for take_screenshot
close""".split()
OWN = "record run do skill list explain".split()

# Tools that change nothing, whatever they are called with.
READING = {"browser_snapshot", "browser_take_screenshot", "browser_wait_for", "cairn_list", "cairn_explain"}


def holds(what: str, good: bool, seen: object = "") -> None:
    if not good:
        print(f"BROKEN {what}: {seen}", flush=True)
        sys.exit(1)
    print(f"holds  {what}", flush=True)


def text_of(result) -> str:
    return "".join(part.text for part in result.content if part.type == "text")


def reference(page: str, what: str) -> str:
    line = next((line for line in page.splitlines() if what in line), None)
    if line is None:
        sys.exit(f"BROKEN no {what} in\n{page}")
    return line.split("[ref=")[1].split("]")[0]


class Agent:
    """A connected client, with everything that it was told."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.heard = ""

    async def attempt(self, tool: str, arguments: dict, progress=None):
        result = await self.client.call_tool(tool, arguments, progress_callback=progress)
        self.heard += text_of(result)
        return result

    async def call(self, tool: str, arguments: dict, progress=None) -> str:
        result = await self.attempt(tool, arguments, progress)
        if result.is_error:
            sys.exit(f"BROKEN {tool} {arguments}: {text_of(result)}")
        return text_of(result)


async def tools(client: Client) -> None:
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    wanted = {f"browser_{name}" for name in BROWSER} | {f"cairn_{name}" for name in OWN}
    holds("the tools are those of the design", wanted == set(listed), sorted(wanted ^ set(listed)))
    for name, tool in listed.items():
        Draft202012Validator.check_schema(tool.input_schema)
        hints = tool.annotations
        if not tool.description or hints is None or hints.title is None:
            holds(f"{name} says what it does", False, tool)
        if bool(hints.read_only_hint) != (name in READING):
            holds(f"{name} says whether it only reads", False, hints)
    holds("each has a schema, a description and its hints", True)


async def drive(agent: Agent, url: str, email: str, password: str) -> None:
    page = await agent.call("browser_navigate", {"url": url})
    await agent.call("cairn_record", {"action": "start", "name": "signing-in", "goal": "Sign in"})
    page = await agent.call("browser_type", {"ref": reference(page, '"Email"'), "text": email})
    page = await agent.call("browser_type", {"ref": reference(page, '"Password"'), "text": "%password%"})
    button = reference(page, 'button "Sign in"')
    page = await agent.call("browser_click", {"ref": button})
    holds("it signs in by refs", "Equipment" in page, page)
    stale = await agent.attempt("browser_click", {"ref": button})
    holds("a ref of a page that is gone is refused", stale.is_error, text_of(stale))
    kept = await agent.call("cairn_record", {"action": "stop"})
    holds("what it did is a script", "stored as promoted" in kept, kept)
    picture = await agent.attempt("browser_take_screenshot", {})
    holds("a picture is a picture", any(part.type == "image" and part.data for part in picture.content), picture)
    holds("the secret is in no answer", password not in agent.heard)


async def misuse(agent: Agent) -> None:
    for tool, arguments in [("browser_click", {}), ("browser_navigate", {"url": 7}), ("no_such_tool", {})]:
        try:
            refused = (await agent.attempt(tool, arguments)).is_error
        except Exception as error:  # The SDK raises what the protocol calls an error.
            refused = type(error).__name__ == "MCPError" or error
        holds(f"{tool} {arguments} is refused", refused is True, refused)


async def cancelling(agent: Agent, url: str) -> None:
    await agent.call("browser_navigate", {"url": url})
    began = time.monotonic()
    with anyio.move_on_after(1.5) as scope:
        await agent.attempt("browser_wait_for", {"text": "this never comes", "time": 60})
    holds("a call can be given up", scope.cancelled_caught)
    await agent.call("browser_snapshot", {})
    took = time.monotonic() - began
    holds("and the next one is answered at once", took < 8, f"{took:.1f} s")


async def replay(agent: Agent) -> None:
    told = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    ran = json.loads(await agent.call("cairn_run", {"name": "signing-in"}, progress))
    holds("the script runs without it", ran["result"] == "success" and ran["stepsExecuted"] == 3, ran)
    holds("progress is told along the way", len(told) >= 3 and told == sorted(told, key=lambda one: one[0]), told)
    listed = await agent.call("cairn_list", {})
    holds("it is in the list", "signing-in" in listed, listed)


async def session(cairn: str, folder: Path, site: dict, mode: str) -> None:
    print(f"{mode}:", flush=True)
    data = folder / mode
    (folder / "inputs.json").write_text(json.dumps({"password": site["password"]}))
    arguments = ["mcp", "--data", str(data), "--inputs", str(folder / "inputs.json"), "--secret", "password"]
    server = StdioServerParameters(command=cairn, args=arguments, cwd=str(folder))
    async with Client(server, mode=mode, read_timeout_seconds=90) as client:
        agent = Agent(client)
        holds("it says who it is", client.server_info is not None and client.server_info.name == "cairn", client.server_info)
        await tools(client)
        await drive(agent, site["url"], site["email"], site["password"])
        await misuse(agent)
        await cancelling(agent, site["url"])
        await agent.call("browser_close", {})
        await replay(agent)
        began = time.monotonic()
    took = time.monotonic() - began
    holds("it ends when its client goes", took < 10, f"{took:.1f} s")


def main() -> None:
    cairn = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        serving = subprocess.Popen([cairn, "demo-site", "--port", "0", "--json"], cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            site = json.loads(serving.stdout.readline())
            # With the handshake of today, and as the SDK finds out by itself.
            for mode in ["legacy", "auto"]:
                anyio.run(session, cairn, Path(folder), site, mode)
        finally:
            serving.terminate()
            serving.wait()


main()
