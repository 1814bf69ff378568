"""Security rules with tests of their own: they judge more than machines, or advise only."""

APART = (
    *("metadata-hop-limit", "file-system-encrypted", "front-tls", "wildcard-policy"),
    *("secret-in-script", "secret-in-output", "secure-boot", "login-identity"),
    *("cluster-access", "password-login"),
)
