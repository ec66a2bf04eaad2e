/** Sends driving commands over a line of its own, so that they are on time however long the page takes to draw. */

import { PERIOD, Repeater, type Command } from "./repeater";

export interface Order {
  /** Address of the rosbridge server, once. */
  url?: string;
  command?: Command;
  rest?: Command;
}

const RETRY = 800; // wait between attempts to connect [ms]

const repeater = new Repeater();
let socket: WebSocket | undefined;
let advertised = new Set<string>();

function connect(url: string): void {
  socket = new WebSocket(url);
  socket.onopen = () => { advertised = new Set(); };
  socket.onclose = () => {
    setTimeout(() => { connect(url); }, RETRY);
  };
}

function send(commands: Command[]): void {
  if (socket?.readyState !== WebSocket.OPEN) return; // never kept for later
  for (const { topic, type, message } of commands) {
    if (!advertised.has(topic)) {
      socket.send(JSON.stringify({ op: "advertise", topic, type }));
      advertised.add(topic);
    }
    socket.send(JSON.stringify({ op: "publish", topic, msg: message }));
  }
}

onmessage = ({ data }: MessageEvent<Order>) => {
  if (data.url !== undefined) connect(data.url);
  else send(repeater.tell(data.command, data.rest, performance.now()));
};
setInterval(() => { send(repeater.tick(performance.now())); }, PERIOD);
