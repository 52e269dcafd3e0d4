//! The rotations and reflections of the board that keep the rules, for data augmentation: all eight
//! of a square board, four of any other.

use crate::encode::Layout;

/// A symmetry as permutations of the elements of a [`Layout`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// The name, such as `turn-90`.
    pub name: &'static str,
    /// Cell i (row by row) of the new board is cell `cells[i]` of the old one.
    pub cells: Vec<usize>,
    /// Plane p of the new observation is plane `planes[p]` of the old one.
    pub planes: Vec<usize>,
    /// Choice i of a part becomes `choices[part][i]`.
    pub choices: Vec<Vec<usize>>,
}

/// A symmetry of the square: rows and columns are exchanged or not, then each is reversed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoardMotion {
    name: &'static str,
    transpose: bool,
    flip_rows: bool,
    flip_cols: bool,
}

const MOTIONS: [BoardMotion; 8] = [
    make_motion("identity", false, false, false),
    make_motion("turn-180", false, true, true),
    make_motion("mirror-rows", false, true, false),
    make_motion("mirror-columns", false, false, true),
    make_motion("transpose", true, false, false),
    make_motion("transpose-other", true, true, true),
    make_motion("turn-90", true, true, false),
    make_motion("turn-270", true, false, true),
];

const fn make_motion(
    name: &'static str,
    transpose: bool,
    flip_rows: bool,
    flip_cols: bool,
) -> BoardMotion {
    BoardMotion {
        name,
        transpose,
        flip_rows,
        flip_cols,
    }
}

impl BoardMotion {
    fn move_point(self, (down, right): (i8, i8)) -> (i8, i8) {
        let (down, right) = if self.transpose {
            (right, down)
        } else {
            (down, right)
        };
        (
            if self.flip_rows { -down } else { down },
            if self.flip_cols { -right } else { right },
        )
    }

    fn move_cell(self, (row, col): (usize, usize), rows: usize, cols: usize) -> (usize, usize) {
        let (row, col) = if self.transpose {
            (col, row)
        } else {
            (row, col)
        };
        (
            if self.flip_rows { rows - 1 - row } else { row },
            if self.flip_cols { cols - 1 - col } else { col },
        )
    }
}

/// The symmetries of a board, the identity first.
pub fn find_symmetries(layout: &Layout) -> Vec<Symmetry> {
    let square = layout.rows == layout.cols;
    MOTIONS
        .into_iter()
        .filter(|motion| square || !motion.transpose)
        .map(|motion| build_symmetry(layout, motion))
        .collect()
}

fn build_symmetry(layout: &Layout, motion: BoardMotion) -> Symmetry {
    let (rows, cols) = (layout.rows, layout.cols);
    let mut cells = vec![0; rows * cols];
    for old in 0..rows * cols {
        let (row, col) = motion.move_cell((old / cols, old % cols), rows, cols);
        cells[row * cols + col] = old;
    }
    let planes: Vec<_> = layout
        .planes
        .iter()
        .map(|plane| (plane.about, plane.points))
        .collect();
    let mut from = vec![0; planes.len()];
    map_members(&planes, motion)
        .into_iter()
        .enumerate()
        .for_each(|(old, new)| from[new] = old);
    let choices = layout.parts.iter().map(|part| {
        let named: Vec<_> = part
            .iter()
            .map(|choice| (choice.name.split(' ').next().unwrap_or(""), choice.points))
            .collect();
        map_members(&named, motion)
    });
    Symmetry {
        name: motion.name,
        cells,
        planes: from,
        choices: choices.collect(),
    }
}

/// The image of each member of a list: a member with a direction maps to the member of its family
/// with the image of the direction, any other to itself.
fn map_members(members: &[(&str, Option<(i8, i8)>)], motion: BoardMotion) -> Vec<usize> {
    let image = |old: usize| {
        let (family, points) = members[old];
        let wanted = (family, points.map(|delta| motion.move_point(delta)));
        points
            .and_then(|_| members.iter().position(|member| *member == wanted))
            .unwrap_or(old)
    };
    (0..members.len()).map(image).collect()
}
