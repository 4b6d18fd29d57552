"""ZIP archives of which nobody knows who made them."""

import io
import zipfile

from libriscribe2.documents.archive import Archive


def test_a_member_whose_name_is_damaged_is_none() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr("Xname.txt", "lost")
        made.writestr("folder/", "")
        made.writestr("folder/kept.txt", "kept")
    damaged = data.getvalue().replace(b"Xname", b"\0name")
    assert Archive("a.zip", damaged).names() == ["folder/kept.txt"]
