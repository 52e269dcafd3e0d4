// The page that contains everything: viewer, engine and one replay. `leitai replay export --to
// html` writes it; it opens without a server.

import { mount } from "svelte";
import { startLocale } from "../lib/locale.svelte";
import "../styles/tokens.css";
import "../styles/base.css";
import SinglePage from "./SinglePage.svelte";

startLocale();
const target = document.getElementById("app");
if (target) mount(SinglePage, { target });
