package dev.tidemark.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedactionTest {

    @ParameterizedTest
    @CsvSource({
        "s3://bucket/orders, s3://bucket/orders",
        "/data/key=1/x@y:z, /data/key=1/x@y:z",
        "sftp://me:hunter2@host/in, sftp://me:***@host/in",
        "sftp://me:a:b@host/in?x=1, sftp://me:***@host/in?x=1",
        "https://host/in?x=1&access_token=abc&y=2, https://host/in?x=1&access_token=***&y=2",
        "abfs://c@host/in?SIG=abc#f, abfs://c@host/in?SIG=***#f"
    })
    void hidesPasswordsAndKeysAndNothingElse(String url, String shown) {
        assertThat(Redaction.of(url)).isEqualTo(shown);
    }
}
