//! Divides the cores among concurrent matches, so that the programs of one match do not run on the
//! cores of another.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and every program that it starts from now on, on share `index` of `workers`
/// equal shares of the cores. If there are more workers than cores, several share a core. If the
/// system refuses, nothing changes.
pub fn take_share(index: usize, workers: usize) {
    let Ok(all) = sched_getaffinity(None) else {
        return;
    };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
        .filter(|core| all.is_set(*core))
        .collect();
    let mut own = CpuSet::new();
    share_cores(&cores, index, workers)
        .into_iter()
        .for_each(|core| own.set(core));
    // If this fails the thread stays on cores that it may use.
    let _ = sched_setaffinity(None, &own);
}

/// The cores of one share; at least one.
fn share_cores(cores: &[usize], index: usize, workers: usize) -> Vec<usize> {
    if workers >= cores.len() {
        return cores
            .get(index % cores.len().max(1))
            .copied()
            .into_iter()
            .collect();
    }
    cores
        .iter()
        .copied()
        .skip(index)
        .step_by(workers.max(1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_belongs_to_a_share() {
        let check = |cores: &[usize], workers: usize, expected: &[&[usize]]| {
            let shares: Vec<Vec<usize>> = (0..workers)
                .map(|index| share_cores(cores, index, workers))
                .collect();
            assert_eq!(shares, expected, "{cores:?} {workers}");
        };
        check(&[0, 1], 1, &[&[0, 1]]);
        check(&[0, 1], 2, &[&[0], &[1]]);
        check(&[0, 1], 3, &[&[0], &[1], &[0]]);
        check(&[2, 3, 6, 7], 2, &[&[2, 6], &[3, 7]]);
        check(&[4], 2, &[&[4], &[4]]);
    }

    #[test]
    fn a_worker_stays_in_its_share() {
        let cores = |workers: usize| {
            std::thread::spawn(move || {
                take_share(0, workers);
                sched_getaffinity(None).expect("Linux tells").count() as usize
            })
            .join()
            .expect("it does not panic")
        };
        let all = sched_getaffinity(None).expect("Linux tells").count() as usize;
        assert_eq!(cores(1), all);
        assert_eq!(cores(all), 1);
    }
}
