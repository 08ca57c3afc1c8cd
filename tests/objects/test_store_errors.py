"""What messages of the libraries mean. They were seen on real servers."""

import pytest

from ragd.objects.store_errors import code_of_missing, is_throttled, store_code

AZURE = "Generic MicrosoftAzure error: "
GET = "Error performing GET http://127.0.0.1:1/a/notes/x in {} - "
DNS = "HTTP error: error sending request"
METADATA = (
    "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token"
)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (AZURE + "Account must be specified", "STORE_DENIED"),
        (AZURE + "Invalid Access Key: Invalid symbol 33, offset 0.", "STORE_DENIED"),
        (GET.format("1.6ms") + "status code: 403 Forbidden: AuthorizationFailure", "STORE_DENIED"),
        (
            "Unable to find object store prefix: no storage account configured. Azure",
            "STORE_DENIED",
        ),
        ("Generic GCS error: Unable to open service account file from /x.json", "STORE_DENIED"),
        ("Generic GCS error: GCP credential error: Unable to decode", "STORE_DENIED"),
        ("Generic AwsLcCryptoProvider error: Error reading pem file", "STORE_DENIED"),
        (f"Error performing token request: Error performing GET {METADATA} {DNS}", "STORE_DENIED"),
        (
            "Generic MicrosoftAzure error: Error performing token request: Error performing POST "
            "https://login.example/t in 2ms - status code: 401 Unauthorized: invalid_client",
            "STORE_DENIED",
        ),
        (
            "Generic MicrosoftAzure error: Error performing token request: Error performing POST "
            f"https://login.example/t in 2ms - {DNS}",
            "STORE_UNREACHABLE",
        ),
        (GET.format("1ms") + "404 Not Found: ContainerNotFound", "STORE_BUCKET_MISSING"),
        (GET.format("1ms") + "404 Not Found: NoSuchBucket", "STORE_BUCKET_MISSING"),
        (GET.format("403.2ms") + DNS, "STORE_UNREACHABLE"),  # a duration is no status
        (GET.format("1ms").replace("127", "https://507") + DNS, "STORE_UNREACHABLE"),
        (GET.format("1ms") + "status code: 507", "STORE_FULL"),
    ],
)
def test_what_a_message_means(message: str, code: str) -> None:
    assert store_code(message) == code


def test_a_message_about_something_else_has_no_code() -> None:
    assert store_code("No space left on device (os error 28)") is None


def test_a_missing_object_is_told_from_a_missing_bucket() -> None:
    assert code_of_missing("<Code>BlobNotFound</Code>") is None
    assert code_of_missing("Object at location log-401/x not found: <Code>NoSuchKey</Code>") is None
    assert code_of_missing("<Code>ContainerNotFound</Code>") == "STORE_BUCKET_MISSING"
    assert code_of_missing("<Code>ResourceNotFound</Code>") == "STORE_DENIED"


def test_a_throttled_put_is_recognised_by_its_status() -> None:
    assert is_throttled("Error performing PUT http://h/429 in 1ms - status code: 429 Too Many")
    assert not is_throttled("Error performing PUT http://h/429 in 429ms - status code: 503")
