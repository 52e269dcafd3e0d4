import { mount } from "svelte";
import App from "./App.svelte";
import { startLocale } from "./lib/locale.svelte";
import { keepWhenInstalled } from "./lib/offline";
import { startRouter } from "./lib/router.svelte";
import "./styles/tokens.css";
import "./styles/base.css";

startLocale();
startRouter();
keepWhenInstalled();
const target = document.getElementById("app");
if (target) mount(App, { target });
