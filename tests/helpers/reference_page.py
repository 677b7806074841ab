"""The examples of the page scenes/REFERENCE.md."""

import re
from scenes.writing import reference

EXAMPLES = re.findall(r"```yaml\n(.*?)```", reference.reference_page(), re.DOTALL)
