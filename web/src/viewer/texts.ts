// Every text of the match page, in both languages side by side.

import type { Lang, Text } from "./film";

const t = (en: string, zh: string): Text => ({ en, zh });

const TEXTS = {
  loading: t("Loading the match…", "正在载入对局…"),
  retry: t("Try again", "重试"),
  notFound: t("There is no such match, or it is not yours to see.", "没有这场对局，或你无权查看。"),
  failed: t("The match could not be loaded: ", "对局无法载入："),
  unknownGame: t("This page has no viewer for the game ", "本页面没有此游戏的观战器："),
  round: t("round", "回合"),
  legs: t("Legs", "局"),
  first: t("First round (home)", "回到开头 (Home)"),
  back: t("One round back (←)", "后退一回合 (←)"),
  stepBack: t("One action back (,)", "后退一步 (,)"),
  play: t("Play (space)", "播放 (空格)"),
  pause: t("Pause (space)", "暂停 (空格)"),
  step: t("One action on (.)", "前进一步 (.)"),
  forward: t("One round on (→)", "前进一回合 (→)"),
  last: t("Last round (end)", "到结尾 (End)"),
  speed: t("Speed", "速度"),
  timeline: t("Timeline", "时间轴"),
  eye: t("Perspective (f)", "视角 (f)"),
  eyeAll: t("everything", "全部"),
  help: t("Keys (?)", "按键 (?)"),
  close: t("Close", "关闭"),
  live: t("live", "直播"),
  goLive: t("Go live", "回到直播"),
  waiting: t("The match has not begun yet.", "对局尚未开始。"),
  queued: t(
    "The match is in the queue: it begins when a worker is free.",
    "对局在排队：有空闲的执行机时开始。",
  ),
  hidden: t(
    "People play under fog: spectators see the leg when it is over.",
    "有真人在战争迷雾中对战：本局结束后才能观看。",
  ),
  away: t("away: seconds left to come back", "掉线，剩余重连秒数"),
  here: t("is here", "在线"),
  replaced: t(
    "You sat down at this table in another window; go on there.",
    "你已在另一个窗口入座，请在那里继续。",
  ),
  cutOff: t("Connection lost: your moves cannot be sent", "连接已断开，暂时无法落子"),
  yourTurn: t("Your turn", "轮到你"),
  theirTurn: t("Waiting for the other side…", "等待对方…"),
  chosen: t(
    "Chosen. Waiting for the other side; you can still change it.",
    "已选择，等待对方；仍可更改。",
  ),
  startsIn: t("starts in", "即将开始"),
  resign: t("Resign", "认输"),
  resignSure: t("Resign this match?", "确定认输？"),
  refused: t("Not possible: ", "不可行："),
  you: t("you", "你"),
  wins: t("wins", "胜"),
  draw: t("A draw", "平局"),
  void: t(
    "This match was ended by a server error or a restart and does not count.",
    "本场因服务器故障或重启而中止，不计成绩。",
  ),
  cancelled: t("This match was cancelled.", "本场已取消。"),
  legWon: t("wins this leg", "赢得本局"),
  legDraw: t("This leg is a draw", "本局平局"),
  events: t("What happened", "事件"),
  nothing: t("Nothing yet.", "暂无。"),
  previousMark: t("Previous moment ([)", "上一关键时刻 ([)"),
  nextMark: t("Next moment (])", "下一关键时刻 (])"),
  score: t("Score", "比分"),
  time: t("Time per turn", "每回合用时"),
  longest: t("longest", "最长"),
  noTimes: t("No times were recorded.", "没有用时记录。"),
  log: t("Log of this turn (only you see it)", "本回合日志（仅你可见）"),
  noLog: t("Your program wrote nothing in this turn.", "你的程序本回合没有输出。"),
  inspect: t("Cell", "格子"),
  inspectHint: t(
    "Point at a cell, or focus the board and press i, then move with the arrows.",
    "指向一个格子；或聚焦棋盘后按 i，再用方向键移动。",
  ),
  board: t("Board", "棋盘"),
  link: t("Copy link", "复制链接"),
  copied: t("Copied", "已复制"),
  copyThis: t("Copy this address:", "复制此地址："),
  download: t("Download replay", "下载回放"),
  embed: t("Embed", "嵌入"),
  embedHow: t("Put this into your page:", "将此代码放入你的网页："),
  openFull: t("Open the match", "打开对局"),
  verified: t(
    "Played again and verified: the record agrees with the rules.",
    "已复算验证：记录与规则一致。",
  ),
  notVerified: t("The record does not agree with the rules: ", "记录与规则不一致："),
  fault: t("Fault", "违规"),
  seeIt: t("See it", "查看"),
  done: t("Done (enter)", "提交 (回车)"),
  choose: t("What you can do", "可选操作"),
  toMove: t("to move", "行动"),
  lookAhead: t("Round shown in the small map", "小地图显示的回合"),
  now: t("now", "现在"),
} as const;

export type TextKey = keyof typeof TEXTS;

export function text(key: TextKey, lang: Lang): string {
  return TEXTS[key][lang];
}

/** What went wrong, in words, and what its author can do. */
export const FAULTS: Record<string, { what: Text; next: Text }> = {
  IA: {
    what: t("made an illegal action", "做出非法操作"),
    next: t(
      "Step back one action to see the position it was asked in, and check the action against the rules.",
      "后退一步查看当时的局面，对照规则检查该操作。",
    ),
  },
  PE: {
    what: t("sent a malformed answer", "答复格式错误"),
    next: t(
      "Compare what it wrote with the dialect in the game’s rules; `leitai check` shows the bytes.",
      "将输出与规则中的协议对照；`leitai check` 会显示原始字节。",
    ),
  },
  RE: {
    what: t("crashed", "程序崩溃"),
    next: t(
      "Its last words are in the log; play the match again at home with `leitai match … --seed`.",
      "最后的输出在日志里；可用 `leitai match … --seed` 在本地重现。",
    ),
  },
  TLE: {
    what: t("ran out of time", "超时"),
    next: t(
      "The chart of times shows how it came to that; let it watch its clock and answer earlier.",
      "用时图显示了经过；让程序留意时钟，提前作答。",
    ),
  },
  MLE: {
    what: t("used too much memory", "内存超限"),
    next: t("Let it free or bound what it keeps between turns.", "请限制程序跨回合保存的数据。"),
  },
  OLE: {
    what: t("sent too much output", "输出超限"),
    next: t("Debug output belongs on stderr.", "调试信息请写到 stderr。"),
  },
  EXIT: {
    what: t("left before the end", "提前退出"),
    next: t(
      "It must go on answering until it is told that the leg is over.",
      "程序须持续作答，直到收到本局结束的通知。",
    ),
  },
  CE: {
    what: t("could not be built or started", "无法编译或启动"),
    next: t("Its version page has the build log.", "版本页有编译日志。"),
  },
};

const CODES: Record<string, string> = {
  illegal: "IA",
  malformed: "PE",
  crashed: "RE",
  timeout: "TLE",
  memory: "MLE",
  output: "OLE",
  exited: "EXIT",
  compile: "CE",
};

/** The short code of a fault, from either of its names. */
export function faultCode(name: string): string {
  return CODES[name] ?? name;
}

/** The keys of the match page. */
export const KEYS: [string, Text][] = [
  ["space", t("play, pause", "播放、暂停")],
  ["← →", t("one round back, on", "后退、前进一回合")],
  [", .", t("one action back, on", "后退、前进一步")],
  ["[ ]", t("previous, next notable moment", "上一、下一关键时刻")],
  ["home end", t("first, last round", "开头、结尾")],
  ["1 – 5", t("speed 1x 2x 8x 32x 128x", "速度 1x 2x 8x 32x 128x")],
  ["f", t("perspective: everything, first, second player", "视角：全部、先手、后手")],
  ["i", t("inspect cells with the arrows; esc ends it", "用方向键查看格子；esc 结束")],
  ["?", t("this help", "本帮助")],
];

/** Reasons that every game has, by id, where a film says only the id; the others are in the game's `words`. */
export const REASONS: Record<string, Text> = {
  "illegal-action": t("by an illegal action of the other side", "对方非法操作"),
  forfeit: t("by the opponent’s fault", "对方违规判负"),
};
