//! The terminal itself: frames out, keys in. It is given back as it was, whatever happens.

use std::io::{self, IsTerminal};
use std::time::Duration;

use leitai_game::picture::Key;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::{DefaultTerminal, Frame};

/// What a person pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// A key that games may use, too. Letters are in lower case.
    Key(Key),
    /// Enter.
    Enter,
    /// Esc.
    Escape,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Ctrl-C.
    Interrupt,
    /// Nothing was pressed, but the terminal has another size.
    Resized,
}

impl Press {
    /// The key, as games name it.
    pub fn as_key(self) -> Option<Key> {
        match self {
            Press::Key(key) => Some(key),
            Press::Enter => Some(Key::Enter),
            Press::Backspace => Some(Key::Backspace),
            Press::Tab => Some(Key::Tab),
            _ => None,
        }
    }
}

/// Where frames are drawn and presses come from: a terminal, or a test.
pub trait Window {
    /// Draws a frame.
    fn draw(&mut self, paint: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()>;
    /// The next press; waits for one at most so long.
    fn press(&mut self, wait: Duration) -> io::Result<Option<Press>>;
}

/// Whether a person sits here: keys come from a terminal and frames go to one.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The terminal while we have it.
pub struct Screen(DefaultTerminal);

impl Screen {
    /// Takes the terminal. A panic gives it back before it is reported; so does the end of this value.
    pub fn open() -> io::Result<Screen> {
        Ok(Screen(ratatui::try_init().inspect_err(|_| ratatui::restore())?))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone cannot be restored, and there is nobody left to tell.
        let _ = self.0.show_cursor();
        let _ = ratatui::try_restore();
    }
}

impl Window for Screen {
    fn draw(&mut self, paint: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        self.0.draw(|frame| paint(frame)).map(drop)
    }

    fn press(&mut self, wait: Duration) -> io::Result<Option<Press>> {
        if !event::poll(wait)? {
            return Ok(None);
        }
        Ok(press(&event::read()?))
    }
}

fn press(event: &Event) -> Option<Press> {
    match event {
        Event::Resize(..) => Some(Press::Resized),
        Event::Key(KeyEvent { kind: KeyEventKind::Release, .. }) => None,
        Event::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => match key.code {
            KeyCode::Char('c') => Some(Press::Interrupt),
            _ => None,
        },
        Event::Key(key) => of_code(key.code),
        _ => None,
    }
}

fn of_code(code: KeyCode) -> Option<Press> {
    Some(match code {
        KeyCode::Char(c) => Press::Key(Key::Char(c.to_lowercase().next().unwrap_or(c))),
        KeyCode::Up => Press::Key(Key::Up),
        KeyCode::Down => Press::Key(Key::Down),
        KeyCode::Left => Press::Key(Key::Left),
        KeyCode::Right => Press::Key(Key::Right),
        KeyCode::Enter => Press::Enter,
        KeyCode::Esc => Press::Escape,
        KeyCode::Tab => Press::Tab,
        KeyCode::Backspace => Press::Backspace,
        KeyCode::Home => Press::Home,
        KeyCode::End => Press::End,
        KeyCode::PageUp => Press::PageUp,
        KeyCode::PageDown => Press::PageDown,
        _ => return None,
    })
}

/// A window for tests: scripted presses, and the frame as text.
#[cfg(test)]
pub mod testing {
    use std::collections::VecDeque;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    /// See [`testing`](self).
    pub struct Scripted {
        terminal: Terminal<TestBackend>,
        presses: VecDeque<Press>,
        /// Every frame that was drawn.
        pub frames: std::rc::Rc<std::cell::RefCell<Vec<String>>>,
    }

    impl Scripted {
        /// A terminal of 80 x 24 on which these keys are pressed.
        pub fn new(presses: impl IntoIterator<Item = Press>) -> Scripted {
            Scripted::sized(80, 24, presses)
        }

        /// A terminal of any size.
        pub fn sized(width: u16, height: u16, presses: impl IntoIterator<Item = Press>) -> Scripted {
            let terminal = Terminal::new(TestBackend::new(width, height)).expect("memory is a terminal");
            Scripted { terminal, presses: presses.into_iter().collect(), frames: Default::default() }
        }
    }

    impl Window for Scripted {
        fn draw(&mut self, paint: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
            self.terminal.draw(|frame| paint(frame)).expect("memory is a terminal");
            let buffer = self.terminal.backend().buffer();
            let width = usize::from(buffer.area.width).max(1);
            let rows = buffer.content.chunks(width);
            let text =
                rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>() + "\n").collect();
            self.frames.borrow_mut().push(text);
            Ok(())
        }

        /// When all keys were pressed the terminal goes away.
        fn press(&mut self, _: Duration) -> io::Result<Option<Press>> {
            self.presses.pop_front().map(Some).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// The presses of a text: a character each.
    pub fn typed(text: &str) -> Vec<Press> {
        text.chars().map(|c| Press::Key(Key::Char(c))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_are_read() {
        let check = |code: KeyCode, modifiers: KeyModifiers, expected: Option<Press>| {
            let event = Event::Key(KeyEvent::new(code, modifiers));
            assert_eq!(press(&event), expected, "{code:?} {modifiers:?}");
        };
        check(KeyCode::Char('w'), KeyModifiers::NONE, Some(Press::Key(Key::Char('w'))));
        check(KeyCode::Char('W'), KeyModifiers::SHIFT, Some(Press::Key(Key::Char('w'))));
        check(KeyCode::Left, KeyModifiers::NONE, Some(Press::Key(Key::Left)));
        check(KeyCode::Char('c'), KeyModifiers::CONTROL, Some(Press::Interrupt));
        check(KeyCode::Char('x'), KeyModifiers::CONTROL, None);
        check(KeyCode::F(1), KeyModifiers::NONE, None);
        let mut released = KeyEvent::new(KeyCode::Char('w'), KeyModifiers::NONE);
        released.kind = KeyEventKind::Release;
        assert_eq!(press(&Event::Key(released)), None);
        assert_eq!(press(&Event::Resize(80, 24)), Some(Press::Resized));
    }
}
