use leitai_store::values::over_quota::format_size;

#[test]
fn sizes_have_readable_units() {
    for (bytes, expected) in [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1025, "2 KiB"),
        (1 << 20, "1 MiB"),
    ] {
        assert_eq!(format_size(bytes), expected);
    }
}
