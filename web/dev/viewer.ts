// The viewer alone, for tests/viewer.mjs: `viewer.html?id=7&mode=page&theme=dark&lang=zh`.

import { mount } from "svelte";
import { chooseLocale } from "../src/lib/locale.svelte";
import { chooseTheme } from "../src/lib/theme.svelte";
import "../src/styles/tokens.css";
import "../src/styles/base.css";
import MatchView from "../src/viewer/MatchView.svelte";

const query = new URLSearchParams(location.search);
chooseLocale(query.get("lang") === "zh" ? "zh" : "en");
chooseTheme(query.get("theme") === "dark" ? "dark" : "light");
const mode = (query.get("mode") ?? "page") as "page" | "embed" | "mini";
mount(MatchView, {
  target: document.getElementById("app")!,
  props: { id: Number(query.get("id") ?? 1), mode },
});
