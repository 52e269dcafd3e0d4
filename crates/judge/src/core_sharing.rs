//! A share of the cores for each of several matches that are played at once, so that one match's
//! programs do not run on another's core.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and every program it starts from now on, on its share of the cores: of
/// `workers` equal shares the one with this index. With more workers than cores several share a
/// core. Where the system does not allow it, nothing changes.
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
    // Failing leaves the thread on cores that it was allowed to use all along.
    let _ = sched_setaffinity(None, &own);
}

/// The cores of one share; never none.
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
    fn every_core_is_somebodys() {
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
