"""The interruption agent: what runs on a machine that AWS may take away, and how it gets there.

`install` is the program's side. The other modules run on the machines: Python 3.9, its standard
library, the AWS CLI, and nothing else of this package.
"""
