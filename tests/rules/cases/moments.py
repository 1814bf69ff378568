"""When resources are judged: at a preview and after they were created."""

import pytest

both = pytest.mark.parametrize("moment", ["preview", "created"])
