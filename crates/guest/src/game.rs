//! A loaded game.

use std::sync::{Arc, OnceLock};

use leitai_game::AnyAssessor;
use leitai_game::erased::{AnyActionBuilder, AnyBot, AnyGame, AnyProtocol, AnySetup, Capabilities};
use leitai_game::host::{BOTZONE, Host};
use leitai_game::lang::{Texts, say};
use leitai_game::parity::ParityCase;
use leitai_game::protocol::JSON_LINES;
use leitai_game::text::TextOf;
use leitai_game::{
    BotProgram, ConfigChoice, GameFault, InvalidSetup, MetaOf, MissingScale, PreparedRules,
    RatingScale, Seat, TemplateOf, Text,
};
use leitai_module::wire::{Call, Reader, Writer};
use serde_json::Value;

#[cfg(not(target_family = "wasm"))]
use crate::action_list::ActionList;
use crate::assessor::{DECISION_POSITIONS, GuestAssessor};
use crate::bots::{GuestBot, GuestBots};
use crate::calls::{NoAnswer, Rules};
#[cfg(not(target_family = "wasm"))]
use crate::json_lines::GuestJsonLines;
use crate::leg::GuestSetup;
use crate::limits::Limits;
use crate::machine::{InvalidModule, ModuleSource};
use crate::meta::{Choice, GuestMeta, read_choices};
#[cfg(not(target_family = "wasm"))]
use crate::module::CheckedModule;
use crate::page_rules::PageRules;
#[cfg(not(target_family = "wasm"))]
use crate::starters::{self, Starter};

/// A game whose rules are a module.
pub struct GuestGame {
    meta: GuestMeta,
    rules: Arc<Rules>,
    bots: GuestBots,
    #[cfg(not(target_family = "wasm"))]
    starters: Vec<Starter>,
    scale: Option<RatingScale>,
    has_outdated_scale: bool,
    /// The file's script that draws a board.
    pub(crate) viewer: Option<String>,
    emblem: Option<String>,
    page_rules: Option<PreparedRules>,
    /// The config of no choices, which every list of games names.
    default_config: OnceLock<Result<Value, InvalidSetup>>,
}

impl GuestGame {
    /// Loads a game: checks the module, and starts it once.
    ///
    /// # Errors
    /// What is wrong with the module, with the cure.
    #[cfg(not(target_family = "wasm"))]
    pub fn load(
        meta: &GuestMeta,
        module: &[u8],
        limits: Limits,
    ) -> Result<GuestGame, InvalidModule> {
        let module = CheckedModule::new(module, &limits)?;
        GuestGame::start(meta, Box::new(module), limits)
    }

    /// Loads what was prepared for a page, and starts the module once.
    ///
    /// # Errors
    /// The module cannot be started.
    pub fn load_prepared(
        rules: &PageRules,
        module: Box<dyn ModuleSource>,
    ) -> Result<GuestGame, InvalidModule> {
        let game = GuestGame::start(&rules.meta, module, Limits::default())?;
        Ok(game.with_bots(rules.list_bots()))
    }

    fn start(
        meta: &GuestMeta,
        module: Box<dyn ModuleSource>,
        limits: Limits,
    ) -> Result<GuestGame, InvalidModule> {
        let started = Rules::new(&meta.id, module, limits);
        Ok(GuestGame {
            meta: meta.clone(),
            bots: GuestBots::with_random(meta.is_open, Vec::new()),
            #[cfg(not(target_family = "wasm"))]
            starters: Vec::new(),
            scale: None,
            has_outdated_scale: false,
            viewer: None,
            emblem: None,
            page_rules: None,
            default_config: OnceLock::new(),
            rules: Arc::new(started.map_err(|why| InvalidModule(format!("the module {}", why.0)))?),
        })
    }

    /// The same game with these bots beside `random`, weakest first.
    #[must_use]
    pub fn with_bots(self, own: Vec<GuestBot>) -> GuestGame {
        GuestGame {
            bots: GuestBots::with_random(self.meta.is_open, own),
            ..self
        }
    }

    /// The same game with these templates before the starters that every game has.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn with_starters(self, starters: Vec<Starter>) -> GuestGame {
        GuestGame { starters, ..self }
    }

    /// The same game with this picture.
    #[must_use]
    pub fn with_emblem(self, emblem: Option<String>) -> GuestGame {
        GuestGame { emblem, ..self }
    }

    /// The same game, whose rules a page may have: what [`prepare_for_page`](crate::prepare_for_page)
    /// makes of them.
    #[must_use]
    pub fn with_page_rules(self, page_rules: Option<PreparedRules>) -> GuestGame {
        GuestGame { page_rules, ..self }
    }

    /// The same game with this rating scale, or with one that does not fit it any more.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub(crate) fn with_scale(self, scale: Option<RatingScale>, is_outdated: bool) -> GuestGame {
        GuestGame {
            scale,
            has_outdated_scale: is_outdated,
            ..self
        }
    }

    /// Whether the module has bots.
    pub(crate) fn has_bots(&self) -> bool {
        self.rules.has(Call::Bot)
    }

    /// Random legs inside the module, from the first position of a setup on: how often first and
    /// second won, how often neither; the steps of all legs.
    ///
    /// # Errors
    /// The module has no `playout`, refuses the setup, or failed.
    pub fn play_at_random(
        &self,
        setup: &Value,
        seed: u64,
        legs: u32,
    ) -> Result<([u32; 3], u64), InvalidSetup> {
        if !self.rules.has(Call::Playout) {
            return Err(InvalidSetup(say!("the module has no function playout")));
        }
        let setup = GuestSetup::read(&self.rules, self.meta.is_open, setup)?;
        let mut request = Writer::default();
        request.long(seed);
        request.number(legs);
        request.number(u32::MAX);
        let request = request.into_bytes();
        let answer = self
            .rules
            .call(setup.first_image(), Call::Playout, &request)?;
        let read = |answer: &mut Reader<'_>| {
            let ended = [answer.number()?, answer.number()?, answer.number()?];
            Some((ended, answer.long()?))
        };
        Ok(self.rules.read(Call::Playout, &request, &answer, read)?)
    }

    /// The functions of the module that were called so far, each with the most fuel (about one unit
    /// an instruction) that a call of it took.
    pub fn dearest_calls(&self) -> Vec<(&'static str, u64)> {
        self.rules.most_fuel()
    }

    /// The fuel that a decision may take.
    pub(crate) fn search_fuel(&self) -> u64 {
        self.rules.search_fuel()
    }

    /// The fuel of all calls since the module was loaded.
    pub fn fuel_spent(&self) -> u64 {
        self.rules.fuel_spent()
    }

    /// Whether the calls took all the fuel that they may take together
    /// ([`Limits::total_fuel`](crate::Limits::total_fuel)).
    pub fn is_spent(&self) -> bool {
        self.rules.is_spent()
    }

    fn ask_config(&self, choices: &Value) -> Result<Value, InvalidSetup> {
        if !self.rules.has(Call::Config) {
            return read_choices(&self.meta.choices, choices);
        }
        let mut request = Writer::default();
        request.text(&choices.to_string());
        Ok(self.ask_json(Call::Config, request)?)
    }

    fn ask_json(&self, call: Call, request: Writer) -> Result<Value, NoAnswer> {
        let request = request.into_bytes();
        let answer = self.rules.call_fresh(call, &request)?;
        self.rules.read(call, &request, &answer, |answer| {
            serde_json::from_str(answer.text()?).ok()
        })
    }

    fn ask_cases(&self, text: &str) -> Result<Vec<ParityCase>, NoAnswer> {
        let mut request = Writer::default();
        request.text(text);
        let request = request.into_bytes();
        let answer = self.rules.call_fresh(Call::Corpus, &request)?;
        self.rules.read(Call::Corpus, &request, &answer, |answer| {
            let count = answer.count(8)?;
            (0..count).map(|_| read_case(answer)).collect()
        })
    }
}

fn read_case(answer: &mut Reader<'_>) -> Option<ParityCase> {
    let (id, why) = (answer.text()?.to_owned(), answer.text()?);
    let result = if why.is_empty() {
        Ok(())
    } else {
        Err(why.to_owned())
    };
    Some(ParityCase { id, result })
}

impl AnyGame for GuestGame {
    fn meta(&self) -> MetaOf<'_> {
        self.meta.as_meta()
    }

    fn list_bots(&self) -> Vec<(&str, TextOf<'_>)> {
        self.bots.list()
    }

    fn is_on_ladder(&self, bot: &str) -> bool {
        self.bots.is_on_ladder(bot)
    }

    fn bot_program(&self, name: &str) -> Option<&BotProgram> {
        self.bots.program(name)
    }

    #[cfg(not(target_family = "wasm"))]
    fn list_templates(&self) -> Vec<TemplateOf<'_>> {
        starters::list(&self.starters)
    }

    /// A page writes no programs.
    #[cfg(target_family = "wasm")]
    fn list_templates(&self) -> Vec<TemplateOf<'_>> {
        Vec::new()
    }

    fn rating_scale(&self) -> Option<&RatingScale> {
        self.scale.as_ref()
    }

    fn missing_scale(&self) -> MissingScale {
        match () {
            () if self.has_outdated_scale => MissingScale::Outdated,
            () if self.meta.is_open => MissingScale::NeverMeasured,
            () => MissingScale::NoLevels,
        }
    }

    fn list_protocols(&self) -> Vec<(&'static str, Text)> {
        vec![(JSON_LINES, leitai_game::erased::JSON_LINES_ABOUT)]
    }

    /// The page starts no programs.
    fn list_hosts(&self) -> &'static [Host] {
        match cfg!(target_family = "wasm") {
            true => &[],
            false => &[BOTZONE],
        }
    }

    fn config_choices(&self) -> Vec<ConfigChoice> {
        self.meta.choices.iter().map(Choice::shown).collect()
    }

    fn rules_guide(&self) -> TextOf<'_> {
        self.meta.guide.as_text()
    }

    fn viewer_script(&self) -> Option<&str> {
        self.viewer.as_deref()
    }

    fn emblem(&self) -> Option<&str> {
        self.emblem.as_deref()
    }

    fn page_rules(&self) -> Option<&PreparedRules> {
        self.page_rules.as_ref()
    }

    fn messages(&self) -> &'static Texts {
        &crate::messages::MESSAGES
    }

    fn read_config(&self, choices: &Value) -> Result<Value, InvalidSetup> {
        match choices {
            Value::Null => {
                let asked = || self.ask_config(choices);
                self.default_config.get_or_init(asked).clone()
            }
            choices => self.ask_config(choices),
        }
    }

    fn deal_setup(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        if !self.rules.has(Call::Config) {
            read_choices(&self.meta.choices, config)?;
        }
        let mut request = Writer::default();
        request.long(seed);
        request.text(&config.to_string());
        let setup = self.ask_json(Call::Deal, request)?;
        self.read_setup(&setup)
    }

    fn read_setup(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        Ok(Arc::new(GuestSetup::read(
            &self.rules,
            self.meta.is_open,
            setup,
        )?))
    }

    fn make_bot(&self, name: &str, seed: u64) -> Option<Box<dyn AnyBot>> {
        self.bots.make(self.find_bot(name)?, seed)
    }

    /// A game that hides something has none: a search would look at what a seat may not know.
    fn make_assessor(&self) -> Option<Box<dyn AnyAssessor>> {
        let made = self.meta.is_open.then(GuestAssessor::default);
        made.map(|made| Box::new(made) as Box<dyn AnyAssessor>)
    }

    fn bound_search(&self, fuel: u64) {
        self.rules.bound_search(fuel);
    }

    fn decision_nodes(&self) -> Option<u64> {
        self.meta.is_open.then_some(DECISION_POSITIONS)
    }

    #[cfg(not(target_family = "wasm"))]
    fn make_protocol(&self, name: &str) -> Option<Box<dyn AnyProtocol>> {
        let protocol = GuestJsonLines {
            game: self.meta.id.clone(),
            rules: self.meta.rules.clone(),
            is_open: self.meta.is_open,
        };
        (name == JSON_LINES).then(|| Box::new(protocol) as Box<dyn AnyProtocol>)
    }

    #[cfg(not(target_family = "wasm"))]
    fn compare_corpus(&self, text: &str, report: &mut dyn FnMut(ParityCase)) {
        let failed = |why: String| {
            vec![ParityCase {
                id: "the corpus".into(),
                result: Err(why),
            }]
        };
        let cases = match self.rules.has(Call::Corpus) {
            true => self
                .ask_cases(text)
                .unwrap_or_else(|why| failed(InvalidSetup::from(why).to_string())),
            false => failed("the module has no function corpus".into()),
        };
        cases.into_iter().for_each(report);
    }

    #[cfg(not(target_family = "wasm"))]
    fn action_builder(&self, _seat: Seat) -> Option<Box<dyn AnyActionBuilder>> {
        Some(Box::new(ActionList::default()))
    }

    /// Programs do not play in a page.
    #[cfg(target_family = "wasm")]
    fn make_protocol(&self, _: &str) -> Option<Box<dyn AnyProtocol>> {
        None
    }

    fn is_open(&self) -> bool {
        self.meta.is_open
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            public_setup: self.meta.is_open,
            guide_pictures: false,
            prompt_rules: false,
            legal_actions: true,
            plays_here: true,
        }
    }

    fn first_fault(&self) -> Option<GameFault> {
        self.rules.first_fault()
    }
}
