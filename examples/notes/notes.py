# /// script
# requires-python = ">=3.10"
# dependencies = ["click>=8"]
# ///
"""Keeps notes in a folder of text files."""

from pathlib import Path

import click


@click.group()
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default="notes", help="Where the notes are.")
@click.pass_context
def cli(context, folder):
    """Keeps notes in a folder of text files."""
    context.obj = folder


@cli.command()
@click.argument("title")
@click.argument("text")
@click.option("--tag", "tags", multiple=True, help="A word to find the note by; may be given more than once.")
@click.pass_obj
def add(folder, title, text, tags):
    """Write a note."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{title}.txt").write_text("\n".join([" ".join(f"#{tag}" for tag in tags), text]), encoding="utf-8")
    click.echo(f"kept {title}")


@cli.command("list")
@click.option("--tag", help="Only notes with this tag.")
@click.option("--long/--short", default=False, help="Show the text too.")
@click.pass_obj
def list_notes(folder, tag, long):
    """List the notes."""
    for path in sorted(folder.glob("*.txt")):
        tags, _, text = path.read_text(encoding="utf-8").partition("\n")
        if tag is None or f"#{tag}" in tags.split():
            click.echo(f"{path.stem}: {text}" if long else path.stem)


if __name__ == "__main__":
    cli()
