import { exampleSetup } from 'prosemirror-example-setup';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';

const state = EditorState.create({ schema, plugins: exampleSetup({ schema }) });
const view = new EditorView(document.querySelector('#editor'), { state });
globalThis.saves(() => view.state.doc.toString());
