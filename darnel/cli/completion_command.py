"""``darnel completion``."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script for SHELL.

    \b
    darnel completion bash >> ~/.bashrc
    """
    from click.shell_completion import get_completion_class

    from darnel.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "darnel", "_DARNEL_COMPLETE").source())
    return 0
