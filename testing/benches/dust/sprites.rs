//! Pictures with and without dust.

use smithereens_testing::table::Table;

/// The table.
pub fn table() -> Table {
    Table::new("Sprites", &["size"])
}
