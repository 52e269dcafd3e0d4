//! Tests of `encode::symmetry`.

use leitai_game::encode::Layout;
use leitai_game::encode::symmetry::*;
use leitai_game::encode::{ActionChoice, Plane};

fn layout(rows: usize, cols: usize) -> Layout {
    const TO: [(i8, i8); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
    let mut planes = vec![Plane::new("body", "a body")];
    planes.extend(TO.map(|to| Plane::with_direction("to", "the next cell", to)));
    let mut part = TO.map(|to| ActionChoice::with_direction("go", to)).to_vec();
    part.push(ActionChoice::new("stop"));
    Layout {
        rows,
        cols,
        planes,
        scalars: Vec::new(),
        parts: vec![part],
    }
}

fn is_permutation(list: &[usize]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..list.len())
}

#[test]
fn a_square_has_eight_symmetries_and_a_rectangle_four() {
    for (rows, cols, count) in [(5, 5, 8), (3, 4, 4)] {
        let all = find_symmetries(&layout(rows, cols));
        assert_eq!(all.len(), count);
        for (n, one) in all.iter().enumerate() {
            assert!(
                is_permutation(&one.cells) && is_permutation(&one.planes),
                "{}",
                one.name
            );
            assert!(is_permutation(&one.choices[0]), "{}", one.name);
            assert!(
                all[..n].iter().all(|other| other.cells != one.cells),
                "{} is no duplicate",
                one.name
            );
        }
        assert!(all[0].cells.iter().copied().eq(0..rows * cols));
    }
}

#[test]
fn moves_and_symmetries_of_the_board_commute() {
    let (rows, cols) = (5, 5);
    let layout = layout(rows, cols);
    for one in find_symmetries(&layout) {
        let to = |old: usize| {
            one.cells
                .iter()
                .position(|from| *from == old)
                .expect("a permutation")
        };
        let go = |cell: usize, choice: usize| {
            let (down, right) = layout.parts[0][choice].points.expect("it goes");
            (cell as i32 + i32::from(down) * cols as i32 + i32::from(right)) as usize
        };
        for choice in 0..4 {
            let centre = 12;
            assert_eq!(
                to(go(centre, choice)),
                go(to(centre), one.choices[0][choice]),
                "{}",
                one.name
            );
            assert_eq!(
                one.planes[1 + one.choices[0][choice]],
                1 + choice,
                "{}",
                one.name
            );
        }
        assert_eq!((one.choices[0][4], one.planes[0]), (4, 0));
    }
}
