// The messages of core's `wire::worker` as the worker sees them, and those between the worker and its pages.

declare namespace Cairn {
  type ErrorCode =
    | 'badMessage'
    | 'wrongVersion'
    | 'noSuchLease'
    | 'gone'
    | 'timedOut'
    | 'refused'
    | 'panicked'
    | 'internal';
  type WireError = { code: ErrorCode; message: string; hint: string };
  type EngineChoice = 'auto' | 'wasm' | 'js';
  type Engine = 'wasm' | 'js';

  /** The readers of the page, as far as the stub uses them. */
  type Readers = { hold(target: EventTarget | undefined): object; ownPlace(): number };

  type Challenge = { protocol: number; nonce: string };
  /** `life`: of the host; `received`: how many frames of this life of the worker it has had. */
  type Welcome = { mac: string; key?: { id: string; secret: string }; life: string; received: number };

  type Navigation = { type: 'goto'; url: string } | { type: 'back' } | { type: 'forward' } | { type: 'reload' };
  type OpenCall = {
    type: 'open';
    lease: string;
    url: string | null;
    tab: number | null;
    atUrl: string | null;
    engine: EngineChoice;
    viewport: { width: number; height: number } | null;
  };
  type Call =
    | OpenCall
    | { type: 'close'; lease: string; keepTab: boolean }
    | { type: 'navigate'; lease: string; to: Navigation }
    | { type: 'capture'; lease: string }
    | { type: 'debug'; lease: string; commands: Command[]; unseen: boolean }
    | { type: 'leases' }
    | { type: 'showPanel'; state: PanelState };
  type Command = { method: string; params: object };
  type PageMessage = { type: 'page'; lease: string; frame: number; document: string; message: string };
  type ToWorker =
    | { type: 'call'; id: number; call: Call }
    | PageMessage
    | { type: 'received'; count: number }
    | { type: 'pong' };

  type FrameInfo = { frame: number; parent: number; place: number; document: string; url: string; engine: string };
  type LeaseInfo = {
    lease: string;
    tab: number;
    window: number;
    url: string;
    adopted: boolean;
    frames: FrameInfo[];
  };
  type CallResult =
    | { type: 'nothing' }
    | ({ type: 'lease' } & LeaseInfo)
    | { type: 'leases'; leases: LeaseInfo[] }
    | { type: 'picture'; png: string };
  type WorkerEvent = { type: string; lease?: string; [key: string]: unknown };
  type FromWorker =
    | { type: 'done'; id: number; result: CallResult }
    | { type: 'failed'; id: number; error: WireError }
    | (PageMessage & { number: number })
    | { type: 'event'; event: WorkerEvent }
    | { type: 'ping' };

  type PanelStep = { number: number; text: string; weak?: string };
  type PanelState = { lease: string | null; name: string; steps: PanelStep[] };

  /** A key of an earlier pairing with the host on a port. */
  type Key = { id: string; secret: string; used: number };

  /** The document that a frame of a leased tab shows. */
  type FrameRecord = FrameInfo & {
    /** The browser's document id. `document` is this, and a number behind it after the probe was made anew. */
    browserDocument: string;
  };

  type Lease = {
    id: string;
    /** Port of the host whose lease it is. */
    port: number;
    tab: number;
    window: number;
    url: string;
    engine: EngineChoice;
    /** The window was opened for this lease. */
    ours: boolean;
    /** Our debugger is attached to the tab. */
    debugged?: boolean;
    /** Frames whose probes are ready, by frame id. */
    frames: Record<number, FrameRecord>;
  };

  /** A window that is about to be made for a lease. */
  type Opening = {
    lease: string;
    port: number;
    url: string;
    engine: EngineChoice;
    viewport?: { width: number; height: number } | null;
    /** The highest number of a window before it. */
    after: number;
    /** In milliseconds since 1970. */
    at: number;
  };

  /** Page to worker. */
  type FromContent =
    | { type: 'hello'; running: Engine | null; place: number; made: number }
    | { type: 'need'; engine: Engine }
    /** `made`: how many probes this document has had, this one included. */
    | { type: 'ready'; engine: Engine; place: number; made: number }
    | { type: 'notReady'; error: WireError }
    /** `number`: its place among all that was said in this document; `made`: by which of its probes. */
    | { type: 'page'; number: number; made: number; text: string };

  /** Worker to page. */
  type ToContent =
    | { type: 'free' }
    /** `wasm`: the page's headers are known to let WASM compile. */
    /** `coming`: the build whose code is on its way without being asked for. */
    | { type: 'leased'; engine: EngineChoice; wasm: boolean; coming: Engine | null }
    | { type: 'code'; engine: Engine; bytes: ArrayBuffer | null }
    | { type: 'page'; text: string }
    /** The host has all messages up to this one. */
    | { type: 'taken'; number: number };

  /** A message that is brought by a script instead of a port; the bytes of code in base64. */
  type Mail = { message: ToContent; bytes: string | null };
  /** Where a page that has no port is fetched from and brought to. */
  type Mailbox = { next(): Promise<FromContent[]>; take(mail: Mail): void };
}
