//! The Nash average against a computation by another way: every support of a small game is tried, and
//! copies of its players share alike.

use leitai_ladder::nash::NashAverage;

/// Numbers from -1 to 1.
fn numbers(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Nobody wins anything against the mixture, but for rounding.
fn is_unbeaten(average: &NashAverage) -> bool {
    average.skills.iter().all(|skill| *skill <= 1e-9)
}

fn random_field(size: usize, next: &mut impl FnMut() -> f64) -> Vec<Vec<f64>> {
    let mut field = vec![vec![0.0; size]; size];
    let pairs = (0..size).flat_map(|one| (one + 1..size).map(move |other| (one, other)));
    for (one, other) in pairs {
        field[one][other] = next();
        field[other][one] = -field[one][other];
    }
    field
}

/// Solves linear equations (the last column is the right side) by elimination.
fn solve(mut lines: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = lines.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| lines[*a][column].abs().total_cmp(&lines[*b][column].abs()))?;
        if lines[pivot][column].abs() < 1e-10 {
            return None;
        }
        lines.swap(column, pivot);
        let own = lines[column].clone();
        let others = lines.iter_mut().enumerate();
        for (_, line) in others.filter(|(at, _)| *at != column) {
            let times = line[column] / own[column];
            line.iter_mut()
                .zip(&own)
                .for_each(|(one, other)| *one -= times * other);
        }
    }
    Some(
        (0..size)
            .map(|at| lines[at][size] / lines[at][at])
            .collect(),
    )
}

/// The only mixture that nobody beats, if there is only one.
fn try_supports(field: &[Vec<f64>]) -> Option<Vec<f64>> {
    let size = field.len();
    let mut found = Vec::new();
    for mask in 1u32..1 << size {
        let inside: Vec<usize> = (0..size).filter(|at| mask >> at & 1 == 1).collect();
        let (_, others) = inside.split_last()?;
        let mut lines: Vec<Vec<f64>> = others
            .iter()
            .map(|row| {
                let own = inside.iter().map(|column| field[*row][*column]);
                own.chain([0.0]).collect()
            })
            .collect();
        lines.push(vec![1.0; inside.len() + 1]);
        let Some(shares) = solve(lines).filter(|all| all.iter().all(|share| *share > 1e-9)) else {
            continue;
        };
        let mut whole = vec![0.0; size];
        inside
            .iter()
            .zip(shares)
            .for_each(|(at, share)| whole[*at] = share);
        let is_beaten = field.iter().any(|row| {
            let won: f64 = row.iter().zip(&whole).map(|(a, b)| a * b).sum();
            won > 1e-9
        });
        found.extend((!is_beaten).then_some(whole));
    }
    found.pop().filter(|_| found.is_empty())
}

#[test]
fn the_mixture_of_maximum_entropy_is_found() {
    let mut next = numbers(88_172_645_463_325_252);
    let mut compared = 0;
    for trial in 0..60 {
        let field = random_field(2 + trial % 7, &mut next);
        // Each player comes one to three times; of all mixtures, that which treats copies alike has
        // the most entropy.
        let copies: Vec<usize> = field
            .iter()
            .map(|_| 1 + usize::from(next() > -0.3) + usize::from(next() > 0.3))
            .collect();
        let Some(shares) = try_supports(&field) else {
            continue;
        };
        let players: Vec<usize> = (0..field.len())
            .flat_map(|player| vec![player; copies[player]])
            .collect();
        let row = |one: &usize| players.iter().map(|other| field[*one][*other]).collect();
        let large: Vec<Vec<f64>> = players.iter().map(row).collect();
        let average = NashAverage::of_payoffs(&large);
        for (player, share) in players.iter().zip(&average.shares) {
            let expected = shares[*player] / copies[*player] as f64;
            assert!(
                (share - expected).abs() < 1e-6,
                "{trial}: {share} {expected}"
            );
        }
        assert!(is_unbeaten(&average), "{trial}: {average:?}");
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn simple_fields() {
    let check = |field: &[&[f64]], expected: &[f64]| {
        let field: Vec<Vec<f64>> = field.iter().map(|row| row.to_vec()).collect();
        let average = NashAverage::of_payoffs(&field);
        let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-6;
        let are_near = average.shares.iter().zip(expected).all(near);
        assert!(are_near, "{average:?} {expected:?}");
    };
    check(&[], &[]);
    check(&[&[0.0]], &[1.0]);
    check(&[&[0.0, 0.0], &[0.0, 0.0]], &[0.5, 0.5]);
    // One beats all; the last two do not count.
    check(
        &[&[0.0, 1.0, 1.0], &[0.0, 0.0, 1.0], &[0.0; 3]],
        &[1.0, 0.0, 0.0],
    );
    // Rock, paper, scissors with other stakes: each has the stake of the other two.
    check(
        &[&[0.0, 1.0, -0.5], &[-1.0, 0.0, 0.25], &[0.5, -0.25, 0.0]],
        &[0.25 / 1.75, 0.5 / 1.75, 1.0 / 1.75],
    );
}

#[test]
fn a_field_of_forty_is_level_against_its_mixture() {
    let field = random_field(40, &mut numbers(7));
    let average = NashAverage::of_payoffs(&field);
    assert!(is_unbeaten(&average));
    assert!((average.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}
