"""The interruption agent, which runs on machines that AWS may reclaim, and its installation.

`install` is the program's side. The other modules run on the machines: Python 3.9, its standard
library, the AWS CLI, and nothing else of this package.
"""
