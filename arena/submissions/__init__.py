"""What is handed in: read with suspicion, tried out, and entered as a version of a bot."""

from arena.submissions.acceptance import News, Submitted, Trial, submit
from arena.submissions.kept import check_kept
from arena.submissions.tree import BadSubmission

__all__ = ["BadSubmission", "News", "Submitted", "Trial", "check_kept", "submit"]
