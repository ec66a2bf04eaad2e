/** The page: top bar, 3D view, panels to the right and below. */

import "./styles/tokens.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/panels.css";
import "./styles/viewport.css";
import "./styles/windows.css";
import "./styles/phone.css";
import { Driver } from "./drive/driver";
import { CameraPanel } from "./panels/camera";
import { DrivePanel } from "./panels/drive";
import { GraphPanel } from "./panels/graph";
import { JointsPanel } from "./panels/joints";
import { LogPanel } from "./panels/log";
import { MapPanel } from "./panels/map";
import { MotionsPanel } from "./panels/motions";
import { ReplayPanel } from "./panels/replay";
import { SearchPanel } from "./panels/search";
import { SensorsPanel } from "./panels/sensors";
import { TerminalPanel } from "./panels/terminal";
import { Topbar } from "./panels/topbar";
import { ViewportPanel } from "./panels/viewport";
import type { Stage } from "./scene/stage";
import { Studio } from "./studio";
import { takeDrops } from "./gallery/takes";
import { startShortcuts } from "./help/keys";
import { readShared, writeShared, type Shared } from "./help/share";
import { Windows } from "./help/windows";
import { h } from "./ui/dom";
import { LazyPanel } from "./ui/lazy_panel";
import { splitter } from "./ui/splitter";
import { Tabs } from "./ui/tabs";
import { startTheme } from "./ui/theme";
import { startToasts, toast } from "./ui/toast";

/** Address of the rosbridge server beside this page; the token of the page's address goes along. */
function bridgeAddress(): string {
  const address = new URL("rosbridge", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.search = location.search;
  address.hash = "";
  return address.href;
}

function start(): void {
  startTheme();
  startToasts();
  const studio = new Studio(bridgeAddress());
  const driver = new Driver(studio);
  const viewport = new ViewportPanel(studio, driver);
  const app = document.getElementById("app")!;
  const grow = (side: string) => (): boolean => {
    app.dataset["large"] = app.dataset["large"] === side ? "" : side;
    return app.dataset["large"] === side;
  };
  const map = new MapPanel(studio, viewport.stage);
  const search = new SearchPanel(studio);
  const behaviour = new LazyPanel("behaviour", "Behaviour", () => import("./behavior/panel").then(({ Behaviour }) => new Behaviour(studio)));
  const plots = new LazyPanel("plots", "Plots", () => import("./plots/panel").then(({ Plots }) => new Plots(studio)));
  const topics = new LazyPanel("topics", "Topics", () => import("./inspect/panel").then(({ Topics }) => new Topics(studio)));
  const timeline = new LazyPanel("timeline", "Timeline", () => import("./timeline/panel").then(({ Timeline }) => new Timeline(studio, viewport.stage)));
  const right = new Tabs("Robot", [new DrivePanel(studio, driver, viewport.stage), new MotionsPanel(studio), new JointsPanel(studio, viewport.stage), new SensorsPanel(studio), search], grow("right"));
  const below = new Tabs("Session", [plots, map, timeline, behaviour, new CameraPanel(studio), new LogPanel(studio), new TerminalPanel(studio), new GraphPanel(studio), topics, new ReplayPanel(studio)], grow("below"));
  const rightBar = splitter({ name: "Robot", axis: "x", variable: "--right", initial: 330, least: 230, most: 0.6 });
  const belowBar = splitter({ name: "Session", axis: "y", variable: "--below", initial: 230, least: 110, most: 0.75 });
  const main = h("main", { class: "main" }, viewport.element, belowBar, below.element);
  const windows = new Windows(studio, viewport.stage, viewport.element);
  const share = (): void => {
    const { camera, controls } = viewport.stage.view;
    const { robot, world, engine } = studio.status.value ?? {};
    const hash = writeShared({ ...(robot && { robot }), ...(world && { world }), ...(engine && { engine }), camera: [...camera.position.toArray(), ...controls.target.toArray()], panels: [right.shown, below.shown] });
    const link = new URL(hash, location.href);
    link.searchParams.delete("token"); // a secret is not shared by accident
    history.replaceState(null, "", hash);
    navigator.clipboard.writeText(link.href).then(() => { toast("The link to this view is copied.", "good"); }, () => { toast(link.href); });
  };
  const topbar = new Topbar(studio, { open: () => { windows.open(); }, help: () => { windows.help(); }, edit: () => { windows.edit(); }, share });
  app.append(topbar.element, main, h("aside", { class: "around", "aria-label": "Size of the panels" }, rightBar), right.element);
  takeDrops((files) => { windows.bring(files); });
  const digits = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), () => { right.openAt(n - 1); }]));
  startShortcuts({ "?": () => { windows.help(); }, o: () => { windows.open(); }, b: () => { windows.edit(); }, " ": () => { void topbar.toggle(); }, Home: () => { viewport.stage.home(); }, ...digits });
  restore(readShared(location.hash), { topbar, tabs: [right, below], studio, stage: viewport.stage });
  studio.connection.connect();
  Object.assign(window, { andante: { studio, driver, stage: viewport.stage, map, search, timeline, behaviour } }); // for the console of the curious
}

/** Bring a shared view back as far as there is one. */
function restore(shared: Shared, page: { topbar: Topbar; tabs: Tabs[]; studio: Studio; stage: Stage }): void {
  for (const panel of shared.panels ?? []) page.tabs.find((tabs) => tabs.has(panel))?.open(panel);
  const end = page.studio.ready.watch((ready) => {
    if (!ready) return;
    queueMicrotask(() => { end(); });
    void (async () => {
      for (const kind of ["world", "robot", "engine"] as const) {
        const name = shared[kind];
        if (name) await page.topbar.want(kind, name);
      }
      if (shared.camera) page.stage.look(shared.camera);
    })();
  });
  if (!navigator.webdriver) page.studio.ready.on((ready) => { if (ready) void import("./help/tour").then(({ startTour }) => { startTour(); }); });
}

start();
