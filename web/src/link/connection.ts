/** The line to the session: a rosbridge client that comes back by itself and never queues commands while it is away. */

import { Ros, Service, Topic } from "roslib";

import { Signal } from "../ui/signal";

export type LinkState = "connecting" | "open" | "lost";
type Listener = (message: never) => void;

interface Shared {
  topic: Topic;
  listeners: Set<Listener>;
  last: unknown;
}

const RETRY = 800; // wait between attempts [ms]

export class Connection {
  readonly state = new Signal<LinkState>("connecting");
  private readonly ros = new Ros();
  private readonly first = new Promise<void>((resolve) => {
    const end = this.state.on((now) => { if (now !== "connecting") { resolve(); setTimeout(() => { end(); }); } });
  });
  private readonly subscriptions = new Map<string, Shared>();
  private readonly publishers = new Map<string, Topic>();

  constructor(readonly url: string) {
    this.ros.on("connection", () => { this.state.value = "open"; });
    this.ros.on("close", () => {
      this.state.value = "lost";
      setTimeout(() => { this.connect(); }, RETRY);
    });
    this.ros.on("error", () => undefined); // a close follows
  }

  /** Start connecting. */
  connect(): void {
    this.ros.connect(this.url).catch(() => undefined); // a close follows
  }

  /** Hear a topic, at most every `throttle` ms, `queue` messages at once (0: all); the result ends it. All listeners of a topic share one subscription. */
  subscribe<T>(name: string, type: string, listener: (message: T) => void, throttle = 0, queue = 1): () => void {
    let shared = this.subscriptions.get(name);
    if (!shared) {
      const options = { ros: this.ros, name, messageType: type, compression: "cbor", throttle_rate: throttle, queue_length: queue };
      const topic = new Topic(options);
      const listeners = new Set<Listener>();
      const fresh: Shared = { topic, listeners, last: undefined };
      shared = fresh;
      this.subscriptions.set(name, shared);
      topic.subscribe((message) => {
        fresh.last = message;
        for (const one of [...listeners]) one(message as never);
      });
    } else if (shared.last !== undefined) {
      listener(shared.last as T);
    }
    const entry = shared;
    entry.listeners.add(listener as Listener);
    return () => {
      entry.listeners.delete(listener as Listener);
      if (entry.listeners.size === 0 && this.subscriptions.get(name) === entry) {
        this.subscriptions.delete(name);
        entry.topic.unsubscribe();
      }
    };
  }

  /** Send a message; false while there is no connection. */
  publish(name: string, type: string, message: unknown): boolean {
    if (this.state.value !== "open") return false;
    let topic = this.publishers.get(name);
    if (!topic) {
      topic = new Topic({ ros: this.ros, name, messageType: type, queue_size: 1 });
      this.publishers.set(name, topic);
    }
    topic.publish(message);
    return true;
  }

  /** Whether this page sends on a topic. */
  published(name: string): boolean {
    return this.publishers.has(name);
  }

  /** Call a service, once there is a first connection; rejects with a line of text. */
  async call<T = Outcome>(name: string, type: string, request: unknown = {}, timeout = 15): Promise<T> {
    if (this.state.value === "connecting") await this.first;
    if (this.state.value !== "open") return Promise.reject(new Error("there is no connection to the session"));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { reject(new Error(`${name} gave no answer within ${String(timeout)} s`)); }, timeout * 1000);
      const service = new Service<unknown, T>({ ros: this.ros, name, serviceType: type });
      service.callService(
        request,
        (response) => {
          clearTimeout(timer);
          resolve(response);
        },
        (error) => {
          clearTimeout(timer);
          reject(new Error(typeof error === "string" && error ? error : `${name} failed`));
        },
      );
    });
  }
}

/** What most services answer. */
export interface Outcome {
  success: boolean;
  message: string;
}
