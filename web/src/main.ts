/** The page: top bar, 3D view, panels to the right and below. */

import "./styles/tokens.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/panels.css";
import "./styles/viewport.css";
import "./styles/phone.css";
import { Driver } from "./drive/driver";
import { CameraPanel } from "./panels/camera";
import { DrivePanel } from "./panels/drive";
import { GraphPanel } from "./panels/graph";
import { JointsPanel } from "./panels/joints";
import { LogPanel } from "./panels/log";
import { MapPanel } from "./panels/map";
import { MotionsPanel } from "./panels/motions";
import { PlotsPanel } from "./panels/plots";
import { ReplayPanel } from "./panels/replay";
import { SearchPanel } from "./panels/search";
import { SensorsPanel } from "./panels/sensors";
import { TerminalPanel } from "./panels/terminal";
import { Topbar } from "./panels/topbar";
import { ViewportPanel } from "./panels/viewport";
import { Studio } from "./studio";
import { h } from "./ui/dom";
import { splitter } from "./ui/splitter";
import { Tabs } from "./ui/tabs";
import { startTheme } from "./ui/theme";
import { startToasts } from "./ui/toast";

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
  const right = new Tabs("Robot", [new DrivePanel(studio, driver), new MotionsPanel(studio), new JointsPanel(studio, viewport.stage), new SensorsPanel(studio), search], grow("right"));
  const below = new Tabs("Session", [new PlotsPanel(studio), map, new CameraPanel(studio), new LogPanel(studio), new TerminalPanel(studio), new GraphPanel(studio), new ReplayPanel(studio)], grow("below"));
  const rightBar = splitter({ name: "Robot", axis: "x", variable: "--right", initial: 330, least: 230, most: 0.6 });
  const belowBar = splitter({ name: "Session", axis: "y", variable: "--below", initial: 230, least: 110, most: 0.75 });
  const main = h("main", { class: "main" }, viewport.element, belowBar, below.element);
  app.append(new Topbar(studio).element, main, rightBar, right.element);
  studio.connection.connect();
  Object.assign(window, { andante: { studio, driver, stage: viewport.stage, map, search } }); // for the console of the curious
}

start();
