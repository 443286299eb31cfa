"""What is handed in: read with suspicion, tried out, and entered as a version of a bot."""

from arena.submissions.acceptance import News, Submitted, Trial, Unbuilt, bot_name, submit
from arena.submissions.builds import check_built
from arena.submissions.kept import check_kept
from arena.submissions.tree import BadSubmission

__all__ = [
    "BadSubmission",
    "News",
    "Submitted",
    "Trial",
    "Unbuilt",
    "bot_name",
    "check_built",
    "check_kept",
    "submit",
]
