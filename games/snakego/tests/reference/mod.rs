//! A second implementation of SnakeGo, written from `docs/rules/snakego.md` with plain lists of
//! cells: slow, simple, and without code of the engine.

use std::fmt::Write;

type Xy = (i8, i8);

#[derive(Clone, Debug)]
struct Snake {
    id: i64,
    bank: i64,
    /// The id of the ray held, or -1.
    ray: i64,
    /// From head to tail.
    body: Vec<Xy>,
}

/// A running half.
#[derive(Clone, Debug)]
pub struct Reference {
    items: Vec<[i64; 5]>,
    max_round: i64,
    round: i64,
    player: usize,
    /// Ids of the snakes that still act in this turn.
    queue: Vec<i64>,
    snakes: [Vec<Snake>; 2],
    walls: [Vec<Xy>; 2],
    lying: Vec<usize>,
    next_id: i64,
    settled: [usize; 2],
    /// The round in which each player took the first item.
    pub first: [Option<i64>; 2],
    /// Whether the half is over, and whose illegal action ended it.
    pub over: Option<Option<usize>>,
    /// The canonical state text after every turn of a player.
    pub turns: Vec<String>,
}

impl Reference {
    /// The half before the first action.
    pub fn new(items: Vec<[i64; 5]>, max_round: i64) -> Reference {
        let snake = |id, cell| Snake {
            id,
            bank: 0,
            ray: -1,
            body: vec![cell],
        };
        let mut half = Reference {
            items,
            max_round,
            round: 1,
            player: 0,
            queue: Vec::new(),
            snakes: [vec![snake(0, (0, 15))], vec![snake(1, (15, 0))]],
            walls: [vec![], vec![]],
            lying: vec![],
            next_id: 2,
            settled: [0, 0],
            first: [None, None],
            over: None,
            turns: vec![],
        };
        half.items_of_the_round();
        half.begin_turn(0);
        half
    }

    /// The scores that count at the end.
    pub fn scores(&self) -> [usize; 2] {
        match self.over {
            Some(Some(culprit)) => {
                let mut scores = self.settled;
                scores[culprit] = 0;
                scores
            }
            _ => self.cells(),
        }
    }

    fn cells(&self) -> [usize; 2] {
        [0, 1].map(|player| {
            self.walls[player].len()
                + self.snakes[player]
                    .iter()
                    .map(|snake| snake.body.len())
                    .sum::<usize>()
        })
    }

    /// Plays this op (1 to 6) for the next snake in order.
    pub fn act(&mut self, op: u8) {
        if self.over.is_some() {
            return;
        }
        let id = self.queue.remove(0);
        let me = self.snakes[self.player]
            .iter()
            .position(|snake| snake.id == id)
            .expect("the queue is alive");
        let legal = match op {
            5 => self.shoot(me),
            6 => self.split(me),
            direction => self.go(
                me,
                [(1, 0), (0, 1), (-1, 0), (0, -1)][usize::from(direction) - 1],
            ),
        };
        if !legal {
            self.over = Some(Some(self.player));
            return;
        }
        self.go_on();
    }

    fn go_on(&mut self) {
        let alive: Vec<i64> = self.snakes[self.player]
            .iter()
            .map(|snake| snake.id)
            .collect();
        self.queue.retain(|id| alive.contains(id));
        while self.queue.is_empty() && self.over.is_none() {
            self.turns.push(self.text());
            if self.player == 0 {
                self.begin_turn(1);
                continue;
            }
            self.settled = self.cells();
            if self.round == self.max_round || self.snakes.iter().all(Vec::is_empty) {
                self.over = Some(None);
            } else {
                self.round += 1;
                self.items_of_the_round();
                self.begin_turn(0);
            }
        }
    }

    fn begin_turn(&mut self, player: usize) {
        self.player = player;
        self.queue = self.snakes[player].iter().map(|snake| snake.id).collect();
    }

    fn place(&self, id: usize) -> Xy {
        (self.items[id][0] as i8, self.items[id][1] as i8)
    }

    fn items_of_the_round(&mut self) {
        let round = self.round;
        let items = &self.items;
        self.lying.retain(|id| items[*id][2] + 16 > round);
        let Some(id) = self.items.iter().position(|item| item[2] == round) else {
            return;
        };
        let cell = self.place(id);
        for player in 0..2 {
            if let Some(index) = self.snakes[player]
                .iter()
                .position(|snake| snake.body.contains(&cell))
            {
                return self.eat(player, index, id);
            }
        }
        let places: Vec<Xy> = self.lying.iter().map(|id| self.place(*id)).collect();
        let mut place = places.iter();
        self.lying.retain(|_| place.next() != Some(&cell));
        self.lying.push(id);
    }

    fn eat(&mut self, player: usize, index: usize, id: usize) {
        let snake = &mut self.snakes[player][index];
        match self.items[id][3] {
            0 => snake.bank += self.items[id][4],
            _ => snake.ray = id as i64,
        }
        self.first[player].get_or_insert(self.round);
    }

    fn go(&mut self, me: usize, (dx, dy): Xy) -> bool {
        let player = self.player;
        let snake = self.snakes[player][me].clone();
        let h = (snake.body[0].0 + dx, snake.body[0].1 + dy);
        let off = !(0..16).contains(&h.0) || !(0..16).contains(&h.1);
        if off || self.walls.iter().any(|walls| walls.contains(&h)) {
            self.snakes[player].remove(me);
            return true;
        }
        let initial = self.round <= 8 && snake.id == player as i64;
        let grows = initial || snake.bank > 0;
        let length = snake.body.len();
        if length > 1 && snake.body[1] == h && (length > 2 || grows) {
            return false;
        }
        let mut rest = snake.body.clone();
        if !grows {
            rest.pop();
        }
        if rest.contains(&h) {
            self.solidify(me, h, &rest);
            return true;
        }
        let others = self
            .snakes
            .iter()
            .flatten()
            .filter(|other| other.id != snake.id);
        if others.into_iter().any(|other| other.body.contains(&h)) {
            self.snakes[player].remove(me);
            return true;
        }
        rest.insert(0, h);
        self.snakes[player][me].body = rest;
        if grows && !initial {
            self.snakes[player][me].bank -= 1;
        }
        if let Some(index) = self.lying.iter().position(|id| self.place(*id) == h) {
            let id = self.lying.remove(index);
            self.eat(player, me, id);
        }
        true
    }

    fn solidify(&mut self, me: usize, h: Xy, rest: &[Xy]) {
        let end = rest
            .iter()
            .position(|cell| *cell == h)
            .expect("h is on the rest of the body");
        // The head's new cell is h itself, the cell that closes the loop.
        let loop_cells: Vec<Xy> = std::iter::once(h)
            .chain(rest[..end].iter().copied())
            .collect();
        let outside = reach_the_border(&loop_cells);
        let all = (0..16).flat_map(|x| (0..16).map(move |y| (x, y)));
        let area: Vec<Xy> = all
            .filter(|cell| !outside.contains(cell) && !loop_cells.contains(cell))
            .collect();
        self.snakes[self.player].remove(me);
        for snakes in &mut self.snakes {
            snakes.retain(|snake| !snake.body.iter().any(|cell| area.contains(cell)));
        }
        let solid: Vec<Xy> = loop_cells.into_iter().chain(area).collect();
        for walls in &mut self.walls {
            walls.retain(|cell| !solid.contains(cell));
        }
        self.walls[self.player].extend(solid);
    }

    fn shoot(&mut self, me: usize) -> bool {
        let snake = &mut self.snakes[self.player][me];
        if snake.ray < 0 || snake.body.len() < 2 {
            return false;
        }
        let (head, neck) = (snake.body[0], snake.body[1]);
        let (dx, dy) = (head.0 - neck.0, head.1 - neck.1);
        snake.ray = -1;
        for step in 1..16 {
            let hit = (head.0 + dx * step, head.1 + dy * step);
            self.walls
                .iter_mut()
                .for_each(|walls| walls.retain(|cell| *cell != hit));
        }
        true
    }

    fn split(&mut self, me: usize) -> bool {
        let side = &mut self.snakes[self.player];
        if side.len() == 4 || side[me].body.len() < 2 {
            return false;
        }
        let half = side[me].body.len().div_ceil(2);
        let mut body = side[me].body.split_off(half);
        body.reverse();
        let bank = std::mem::take(&mut side[me].bank);
        side.insert(
            me + 1,
            Snake {
                id: self.next_id,
                bank,
                ray: -1,
                body,
            },
        );
        self.next_id += 1;
        true
    }

    fn text(&self) -> String {
        let mut out = format!("T {} {}\n", self.round, self.player);
        let write = |out: &mut String, cells: &[Xy]| {
            cells
                .iter()
                .for_each(|(x, y)| write!(out, "{x:x}{y:x}").expect("a String takes every text"));
            out.push('\n');
        };
        for (player, snakes) in self.snakes.iter().enumerate() {
            for snake in snakes {
                out += &format!("S{player} {} {} {} ", snake.id, snake.bank, snake.ray);
                write(&mut out, &snake.body);
            }
        }
        for (player, walls) in self.walls.iter().enumerate() {
            let mut walls = walls.clone();
            walls.sort_unstable();
            out += &format!("W{player} ");
            write(&mut out, &walls);
        }
        let mut lying = self.lying.clone();
        lying.sort_unstable();
        let ids: Vec<String> = lying.iter().map(usize::to_string).collect();
        let [a, b] = self.cells();
        out + &format!("I {}\nP {a} {b}\n", ids.join(" "))
    }
}

/// Every cell that is 4-connected to a border cell without crossing the fence.
fn reach_the_border(fence: &[Xy]) -> Vec<Xy> {
    let border = (0..16).flat_map(|i| [(i, 0), (i, 15), (0, i), (15, i)]);
    let mut reached: Vec<Xy> = Vec::new();
    let mut todo: Vec<Xy> = border.collect();
    while let Some((x, y)) = todo.pop() {
        let on_map = (0..16).contains(&x) && (0..16).contains(&y);
        if on_map && !fence.contains(&(x, y)) && !reached.contains(&(x, y)) {
            reached.push((x, y));
            todo.extend([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]);
        }
    }
    reached
}
