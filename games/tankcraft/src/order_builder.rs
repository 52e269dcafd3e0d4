//! Builds a person's team and orders from keys: a pure state machine over a [`View`]; every
//! question gets a new one.
//!
//! The page has a builder of its own (`viewer/order_builder.ts`), which answers clicks and buttons
//! too and has other keys, as browsers use Tab. Neither holds a rule: ways, ranges and what they
//! cost come from [`crate::options`].

use leitai_game::action_builder::{ActionBuilder, KeyEffect, PartialAction};
use leitai_game::render::{Key, OverlayCell, PaletteColor, PanelLine, RenderedCell as Drawn};
use leitai_game::{Lang, Seat, Text};

use crate::cell::{Cell, Direction};
use crate::options::deadly_ground;
use crate::orders::{Action, TankOrder};
use crate::position::Position;
use crate::render;
use crate::setup::Setup;
use crate::tank::{TEAM, TankType, team_range};
use crate::view::{SeenTank, View};

/// The team or the orders of one side so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderBuilder {
    seat: Seat,
    types: [TankType; TEAM],
    orders: [Option<TankOrder>; TEAM],
    /// The selected place in the team; if its tank is dead, the next living one counts.
    selected: usize,
    /// The current target of the selected tank, while a target is chosen.
    aim: Option<Cell>,
}

/// The effect of a key.
#[doc(hidden)] // For tests.
pub type OrderKeyEffect = KeyEffect<Action>;

#[doc(hidden)] // For tests.
pub const DEAD: Text = Text::new("this tank is dead", "该坦克已阵亡");
#[doc(hidden)] // For tests.
pub const FAR: Text = Text::new("out of range", "超出射程");
const DEAD_UNTIL: Text = Text::new("dead, back in round", "阵亡，复活回合");
const DIES: Text = Text::new("stone, dies!", "撞石墙即毁！");
const TARGET: Text = Text::new("target", "目标");

impl OrderBuilder {
    /// The initial state: five Strikers, and no orders.
    pub fn new(seat: Seat) -> OrderBuilder {
        let types = [TankType::Striker; TEAM];
        OrderBuilder {
            seat,
            types,
            orders: [None; TEAM],
            selected: 0,
            aim: None,
        }
    }

    /// Handles a key while the team is chosen.
    fn team_key(&mut self, key: Key) -> OrderKeyEffect {
        match key {
            Key::Char(digit @ '1'..='5') => self.selected = usize::from(digit as u8 - b'1'),
            Key::Tab | Key::Down => self.selected = (self.selected + 1) % TEAM,
            Key::Up => self.selected = (self.selected + TEAM - 1) % TEAM,
            Key::Right => self.turn_type(1),
            Key::Left => self.turn_type(2),
            Key::Char('s') => self.types[self.selected] = TankType::Striker,
            Key::Char('p') => self.types[self.selected] = TankType::Pioneer,
            Key::Char('n') => self.types[self.selected] = TankType::Sniper,
            Key::Enter => return KeyEffect::Say(Action::Team(self.types)),
            _ => return KeyEffect::Nothing,
        }
        KeyEffect::Changed
    }

    /// Advances the type by this many places in the list.
    fn turn_type(&mut self, by: usize) {
        let kind = &mut self.types[self.selected];
        *kind = TankType::ALL[(*kind as usize + by) % TankType::ALL.len()];
    }

    /// Handles a key while orders are given and no target is being chosen.
    fn order_key(&mut self, view: &View, key: Key) -> OrderKeyEffect {
        if key == Key::Enter {
            return KeyEffect::Say(Action::Orders(self.orders.map(Option::unwrap_or_default)));
        }
        if let Key::Char(digit @ '1'..='5') = key {
            return self.select_tank(view, usize::from(digit as u8 - b'1'));
        }
        let order = match (key, key_direction(key)) {
            (_, Some(direction)) => Some(TankOrder::Go(direction)),
            (Key::Char('x' | '.'), _) => Some(TankOrder::Stop),
            (Key::Backspace, _) => None,
            (Key::Char('f') | Key::Tab, _) => return self.aim_or_next(view, key),
            _ => return KeyEffect::Nothing,
        };
        let Some(place) = self.selected_alive(view) else {
            return KeyEffect::Refused(DEAD);
        };
        self.orders[place] = order;
        KeyEffect::Changed
    }

    fn aim_or_next(&mut self, view: &View, key: Key) -> OrderKeyEffect {
        let Some(place) = self.selected_alive(view) else {
            return KeyEffect::Refused(DEAD);
        };
        if key == Key::Char('f') {
            self.aim = Some(self.first_aim(view, place));
            return KeyEffect::Changed;
        }
        let next = (1..=TEAM)
            .map(|by| (place + by) % TEAM)
            .find(|place| self.alive(view, *place));
        self.select_tank(view, next.unwrap_or(place))
    }

    fn select_tank(&mut self, view: &View, place: usize) -> OrderKeyEffect {
        if !self.alive(view, place) {
            return KeyEffect::Refused(DEAD);
        }
        (self.selected, self.aim) = (place, None);
        KeyEffect::Changed
    }

    /// Handles a key while the target of the selected tank is chosen.
    fn aim_key(&mut self, view: &View, at: Cell, key: Key) -> OrderKeyEffect {
        match (key, key_direction(key)) {
            (_, Some(direction)) => {
                let to = at.next(direction);
                self.aim = Cell::on_map(to.row.into(), to.col.into()).or(self.aim);
            }
            (Key::Enter, _) => return self.confirm_target(view, at),
            (Key::Backspace, _) => self.aim = None,
            _ => {
                self.aim = None;
                return self.order_key(view, key);
            }
        }
        KeyEffect::Changed
    }

    fn confirm_target(&mut self, view: &View, at: Cell) -> OrderKeyEffect {
        let Some(place) = self.selected_alive(view) else {
            return KeyEffect::Refused(DEAD);
        };
        if self.too_far(view, place, at).is_some() {
            return KeyEffect::Refused(FAR);
        }
        (self.orders[place], self.aim) = (Some(TankOrder::fire_at(at)), None);
        KeyEffect::Changed
    }

    /// The target so far, else the nearest visible enemy in range, else the tank's own cell.
    fn first_aim(&self, view: &View, place: usize) -> Cell {
        let own = self.tank(view, place).cell.unwrap_or(Cell::new(1, 1));
        if let Some(TankOrder::Fire { row, col }) = self.orders[place] {
            return Cell::on_map(row, col).unwrap_or(own);
        }
        let enemies = view
            .tanks_on_map(self.seat.other())
            .map(|(_, _, cell)| cell);
        let near = enemies.filter(|cell| self.too_far(view, place, *cell).is_none());
        near.min_by_key(|cell| cell.distance(own)).unwrap_or(own)
    }

    /// The distance and the range, if the target is out of range (R3.1).
    fn too_far(&self, view: &View, place: usize, target: Cell) -> Option<(u8, u8)> {
        let tank = self.tank(view, place);
        let (distance, range) = (tank.cell?.distance(target), tank.kind?.range());
        (distance > range).then_some((distance, range))
    }

    fn tank<'a>(&self, view: &'a View, place: usize) -> &'a SeenTank {
        &view.tanks[team_range(self.seat).start + place]
    }

    fn alive(&self, view: &View, place: usize) -> bool {
        self.tank(view, place).cell.is_some()
    }

    /// The place to which keys apply: the selected one, or the next living one.
    fn selected_alive(&self, view: &View) -> Option<usize> {
        (0..TEAM)
            .map(|by| (self.selected + by) % TEAM)
            .find(|place| self.alive(view, *place))
    }
}

impl ActionBuilder<Position> for OrderBuilder {
    fn handle_key(&mut self, _: &Setup, view: &View, key: Key) -> OrderKeyEffect {
        match self.aim {
            _ if view.round == 0 => self.team_key(key),
            Some(at) => self.aim_key(view, at, key),
            None => self.order_key(view, key),
        }
    }

    fn show_draft(&self, _: &Setup, view: &View, lang: Lang) -> PartialAction {
        if view.round == 0 {
            return PartialAction {
                lines: self.team_lines(lang),
                marks: Vec::new(),
            };
        }
        PartialAction {
            lines: self.order_lines(view, lang),
            marks: self.overlay_marks(view),
        }
    }
}

fn key_direction(key: Key) -> Option<Direction> {
    Some(match key {
        Key::Up | Key::Char('w') => Direction::Up,
        Key::Down | Key::Char('s') => Direction::Down,
        Key::Left | Key::Char('a') => Direction::Left,
        Key::Right | Key::Char('d') => Direction::Right,
        _ => return None,
    })
}

fn direction_arrow(direction: Direction) -> char {
    match direction {
        Direction::Up => '↑',
        Direction::Down => '↓',
        Direction::Left => '←',
        Direction::Right => '→',
    }
}

const TEAM_HELP: [Text; 2] = [
    Text::new(
        "1-5 ↑↓ tank   s p n ←→ type",
        "1-5 ↑↓ 选坦克   s p n ←→ 选类型",
    ),
    Text::new("enter send the team", "回车 提交阵容"),
];
const ORDER_HELP: [Text; 3] = [
    Text::new(
        "1-5 tab tank   ←↑↓→ wasd go",
        "1-5 tab 选坦克   ←↑↓→ wasd 移动",
    ),
    Text::new(
        "f fire at   x stop   ⌫ clear",
        "f 开火   x 停止   退格 清除",
    ),
    Text::new("enter send all; unset = STOP", "回车 提交；未下令者 STOP"),
];
const AIM_HELP: [Text; 2] = [
    Text::new("←↑↓→ wasd move the target", "←↑↓→ wasd 移动目标"),
    Text::new("enter fire there   ⌫ do not", "回车 确认开火   退格 取消"),
];

/// The displayed draft.
impl OrderBuilder {
    fn team_lines(&self, lang: Lang) -> Vec<PanelLine> {
        let first = team_range(self.seat).start;
        let row = |(place, kind): (usize, &TankType)| {
            let (name, life, attack, range) =
                (kind.name(), kind.life(), kind.attack(), kind.range());
            let text = format!(
                "{} {name:<8} {life}HP hits {attack} at {range}",
                first + place
            );
            self.panel_row(place, self.selected == place, text)
        };
        self.types
            .iter()
            .enumerate()
            .map(row)
            .chain(help_lines(&TEAM_HELP, lang))
            .collect()
    }

    fn order_lines(&self, view: &View, lang: Lang) -> Vec<PanelLine> {
        let selected = self.selected_alive(view);
        let mut lines: Vec<PanelLine> = (0..TEAM)
            .map(|place| match self.alive(view, place) {
                true => self.panel_row(
                    place,
                    selected == Some(place),
                    self.order_text(view, place, lang),
                ),
                false => self.dead_row(view, place, lang),
            })
            .collect();
        match (self.aim, selected) {
            (Some(at), Some(place)) => {
                lines.push(self.aim_line(view, place, at, lang));
                lines.extend(help_lines(&AIM_HELP, lang));
            }
            _ => lines.extend(help_lines(&ORDER_HELP, lang)),
        }
        lines
    }

    fn panel_row(&self, place: usize, selected: bool, text: String) -> PanelLine {
        let (sign, ink) = if selected {
            ('▸', render::side_color(self.seat))
        } else {
            (' ', PaletteColor::Default)
        };
        PanelLine {
            text: format!("{sign}{} {text}", place + 1),
            ink,
        }
    }

    fn dead_row(&self, view: &View, place: usize, lang: Lang) -> PanelLine {
        let name = self.name(view, place);
        let back = DEAD_UNTIL.in_language(lang);
        let round = self.tank(view, place).revive.unwrap_or(view.round);
        PanelLine {
            text: format!(" {} {name} {back} {round}", place + 1),
            ink: PaletteColor::Grey,
        }
    }

    /// The name as on the board, such as `S0`.
    fn name(&self, view: &View, place: usize) -> String {
        render::tank_mark(
            team_range(self.seat).start + place,
            self.tank(view, place).kind,
        )
        .iter()
        .collect()
    }

    fn order_text(&self, view: &View, place: usize, lang: Lang) -> String {
        let tank = self.tank(view, place);
        let (life, cell) = (tank.life.unwrap_or(0), tank.cell.unwrap_or(Cell::NOWHERE));
        let order = match self.orders[place] {
            None => "-".to_owned(),
            Some(TankOrder::Go(direction))
                if deadly_ground(view, cell.next(direction)).is_some() =>
            {
                let dies = DIES.in_language(lang);
                format!("{} {dies}", direction_arrow(direction))
            }
            Some(TankOrder::Go(direction)) => format!("GO {}", direction_arrow(direction)),
            Some(TankOrder::Fire { row, col }) => format!("FIRE ({row},{col})"),
            Some(TankOrder::Stop | TankOrder::Unread) => "STOP".to_owned(),
        };
        format!(
            "{} {life}HP {:<7} {order}",
            self.name(view, place),
            cell.to_string()
        )
    }

    fn aim_line(&self, view: &View, place: usize, at: Cell, lang: Lang) -> PanelLine {
        let target = TARGET.in_language(lang);
        match self.too_far(view, place, at) {
            None => PanelLine::uncoloured(format!("{target} {at}")),
            Some((distance, range)) => {
                let why = FAR.in_language(lang);
                PanelLine {
                    text: format!("{target} {at} ✗ {why}: {distance} > {range}"),
                    ink: PaletteColor::Grey,
                }
            }
        }
    }

    /// The selected tank is highlighted, a moving tank has an arrow in place of its type, `×` is a
    /// target and `><` the target being chosen.
    fn overlay_marks(&self, view: &View) -> Vec<OverlayCell> {
        let living = (0..TEAM).filter(|place| self.alive(view, *place));
        let mut marks: Vec<OverlayCell> = living
            .clone()
            .filter_map(|place| self.own_mark(view, place))
            .collect();
        marks.extend(living.filter_map(|place| self.fire_mark(place)));
        if let (Some(at), Some(place)) = (self.aim, self.selected_alive(view)) {
            let far = self.too_far(view, place, at).is_some();
            marks.push(overlay_cell(
                at,
                ['>', '<'],
                if far {
                    PaletteColor::Grey
                } else {
                    render::side_color(self.seat)
                },
                !far,
            ));
        }
        marks
    }

    fn own_mark(&self, view: &View, place: usize) -> Option<OverlayCell> {
        let tank = self.tank(view, place);
        let number = team_range(self.seat).start + place;
        let [letter, digit] = render::tank_mark(number, tank.kind);
        let letter = match self.orders[place] {
            Some(TankOrder::Go(direction)) => direction_arrow(direction),
            _ => letter,
        };
        let strong = self.selected_alive(view) == Some(place);
        Some(overlay_cell(
            tank.cell?,
            [letter, digit],
            render::side_color(self.seat),
            strong,
        ))
    }

    fn fire_mark(&self, place: usize) -> Option<OverlayCell> {
        let Some(TankOrder::Fire { row, col }) = self.orders[place] else {
            return None;
        };
        let digit = char::from(b'0' + (team_range(self.seat).start + place) as u8);
        Some(overlay_cell(
            Cell::on_map(row, col)?,
            ['×', digit],
            render::side_color(self.seat),
            false,
        ))
    }
}

fn overlay_cell(cell: Cell, text: [char; 2], ink: PaletteColor, strong: bool) -> OverlayCell {
    let cell_drawn = Drawn {
        text,
        ink,
        paper: PaletteColor::Default,
        strong,
    };
    OverlayCell {
        row: usize::from(cell.row) - 1,
        column: usize::from(cell.col) - 1,
        cell: cell_drawn,
    }
}

fn help_lines(texts: &'static [Text], lang: Lang) -> impl Iterator<Item = PanelLine> {
    texts.iter().map(move |text| PanelLine {
        text: text.in_language(lang).to_owned(),
        ink: PaletteColor::Grey,
    })
}
