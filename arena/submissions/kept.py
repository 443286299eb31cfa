"""Whether the contents in a workspace are still those that were entered: what is rated is what is named."""

from collections.abc import Iterable
from pathlib import Path

from arena.grid import digits, short
from arena.model import HOUSE, Entrant, UserError
from arena.submissions.importing import read_folder
from arena.submissions.tree import BadSubmission, shown, tree_hash
from protocol.text import pasted


def check_kept(submissions: Path, entrants: Iterable[Entrant]) -> None:
    """Raise UserError for the first version whose files are not what they were when it was entered."""
    for entrant in entrants:
        wrong = None if entrant == HOUSE else changed(submissions / entrant.version)
        if wrong:
            name = short(entrant.name)
            raise UserError(
                f"version {digits(entrant.version)} of {name} cannot be played: {wrong}; to put its files "
                f"back submit that content again: arena submit PATH --name {pasted(name)}"
            )


def changed(folder: Path) -> str | None:
    """What is wrong with the folder of a version, which is named by the hash of its content."""
    if not folder.is_dir():
        return f"its folder {folder} is missing"
    try:
        tree = read_folder(folder)
    except BadSubmission as error:
        return f"{folder} was changed: {error}"
    if tree.left_out:
        return f"{folder} was changed: {shown(tree.left_out[0])} is no part of a version"
    found = tree_hash(tree)
    if found != folder.name:
        return f"{folder} was changed: the hash of its {len(tree.files)} files is {digits(found)} now"
    return None
