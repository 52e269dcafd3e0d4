//! Terminal input and output. The terminal is restored in any case.

use std::io::{self, IsTerminal};
use std::time::Duration;

use leitai_game::render::Key;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::{DefaultTerminal, Frame};

/// An input event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPress {
    /// A key that games may use too. Letters are in lower case.
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
    /// The terminal was resized.
    Resized,
}

impl KeyPress {
    /// The key in the games' naming.
    pub fn as_key(self) -> Option<Key> {
        match self {
            KeyPress::Key(key) => Some(key),
            KeyPress::Enter => Some(Key::Enter),
            KeyPress::Backspace => Some(Key::Backspace),
            KeyPress::Tab => Some(Key::Tab),
            _ => None,
        }
    }
}

/// A drawing surface with input: a terminal or a test.
pub trait Window {
    /// Draws a frame.
    fn draw_frame(&mut self, paint: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()>;
    /// Reads the next key, waiting at most this long.
    fn read_press(&mut self, wait: Duration) -> io::Result<Option<KeyPress>>;
}

/// Whether input and output are a terminal.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The terminal in raw mode on the alternate screen.
pub struct TerminalScreen(DefaultTerminal);

impl TerminalScreen {
    /// Initialises the terminal. It is restored when this value is dropped, and before a panic is
    /// reported.
    pub fn open_terminal() -> io::Result<TerminalScreen> {
        Ok(TerminalScreen(
            ratatui::try_init().inspect_err(|_| ratatui::restore())?,
        ))
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        // If the terminal is gone, nothing can be restored or reported.
        let _ = self.0.show_cursor();
        let _ = ratatui::try_restore();
    }
}

impl Window for TerminalScreen {
    fn draw_frame(&mut self, paint: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        self.0.draw(|frame| paint(frame)).map(drop)
    }

    fn read_press(&mut self, wait: Duration) -> io::Result<Option<KeyPress>> {
        if !event::poll(wait)? {
            return Ok(None);
        }
        Ok(convert_event(&event::read()?))
    }
}

fn convert_event(event: &Event) -> Option<KeyPress> {
    match event {
        Event::Resize(..) => Some(KeyPress::Resized),
        Event::Key(KeyEvent {
            kind: KeyEventKind::Release,
            ..
        }) => None,
        Event::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => match key.code {
            KeyCode::Char('c') => Some(KeyPress::Interrupt),
            _ => None,
        },
        Event::Key(key) => of_code(key.code),
        _ => None,
    }
}

fn of_code(code: KeyCode) -> Option<KeyPress> {
    Some(match code {
        KeyCode::Char(c) => KeyPress::Key(Key::Char(c.to_lowercase().next().unwrap_or(c))),
        KeyCode::Up => KeyPress::Key(Key::Up),
        KeyCode::Down => KeyPress::Key(Key::Down),
        KeyCode::Left => KeyPress::Key(Key::Left),
        KeyCode::Right => KeyPress::Key(Key::Right),
        KeyCode::Enter => KeyPress::Enter,
        KeyCode::Esc => KeyPress::Escape,
        KeyCode::Tab => KeyPress::Tab,
        KeyCode::Backspace => KeyPress::Backspace,
        KeyCode::Home => KeyPress::Home,
        KeyCode::End => KeyPress::End,
        KeyCode::PageUp => KeyPress::PageUp,
        KeyCode::PageDown => KeyPress::PageDown,
        _ => return None,
    })
}

/// A window for tests: scripted keys, and frames as text.
#[cfg(test)]
pub mod testing {
    use std::collections::VecDeque;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    /// See [`testing`](self).
    pub struct ScriptedTerminal {
        terminal: Terminal<TestBackend>,
        presses: VecDeque<KeyPress>,
        /// All drawn frames.
        pub frames: std::rc::Rc<std::cell::RefCell<Vec<String>>>,
    }

    impl ScriptedTerminal {
        /// A terminal of 80 x 24 with these keys.
        pub fn new(presses: impl IntoIterator<Item = KeyPress>) -> ScriptedTerminal {
            ScriptedTerminal::sized(80, 24, presses)
        }

        /// A terminal of any size.
        pub fn sized(
            width: u16,
            height: u16,
            presses: impl IntoIterator<Item = KeyPress>,
        ) -> ScriptedTerminal {
            let terminal =
                Terminal::new(TestBackend::new(width, height)).expect("memory is a terminal");
            ScriptedTerminal {
                terminal,
                presses: presses.into_iter().collect(),
                frames: Default::default(),
            }
        }
    }

    impl Window for ScriptedTerminal {
        fn draw_frame(&mut self, paint: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
            self.terminal
                .draw(|frame| paint(frame))
                .expect("memory is a terminal");
            let buffer = self.terminal.backend().buffer();
            let width = usize::from(buffer.area.width).max(1);
            let rows = buffer.content.chunks(width);
            let text = rows
                .map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>() + "\n")
                .collect();
            self.frames.borrow_mut().push(text);
            Ok(())
        }

        /// After the last key the terminal is reported as closed.
        fn read_press(&mut self, _: Duration) -> io::Result<Option<KeyPress>> {
            self.presses
                .pop_front()
                .map(Some)
                .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// One key press for each character.
    pub fn typed(text: &str) -> Vec<KeyPress> {
        text.chars().map(|c| KeyPress::Key(Key::Char(c))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_are_read() {
        let check = |code: KeyCode, modifiers: KeyModifiers, expected: Option<KeyPress>| {
            let event = Event::Key(KeyEvent::new(code, modifiers));
            assert_eq!(convert_event(&event), expected, "{code:?} {modifiers:?}");
        };
        check(
            KeyCode::Char('w'),
            KeyModifiers::NONE,
            Some(KeyPress::Key(Key::Char('w'))),
        );
        check(
            KeyCode::Char('W'),
            KeyModifiers::SHIFT,
            Some(KeyPress::Key(Key::Char('w'))),
        );
        check(
            KeyCode::Left,
            KeyModifiers::NONE,
            Some(KeyPress::Key(Key::Left)),
        );
        check(
            KeyCode::Char('c'),
            KeyModifiers::CONTROL,
            Some(KeyPress::Interrupt),
        );
        check(KeyCode::Char('x'), KeyModifiers::CONTROL, None);
        check(KeyCode::F(1), KeyModifiers::NONE, None);
        let mut released = KeyEvent::new(KeyCode::Char('w'), KeyModifiers::NONE);
        released.kind = KeyEventKind::Release;
        assert_eq!(convert_event(&Event::Key(released)), None);
        assert_eq!(
            convert_event(&Event::Resize(80, 24)),
            Some(KeyPress::Resized)
        );
    }
}
