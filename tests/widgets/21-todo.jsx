import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const SHOWN = { All: () => true, Active: (todo) => !todo.done, Completed: (todo) => todo.done };

function Item({ todo, change, remove }) {
  const [draft, setDraft] = useState(null);
  const commit = () => {
    if (draft !== null) change({ ...todo, title: draft });
    setDraft(null);
  };
  return (
    <li>
      <input type="checkbox" aria-label={`Toggle ${todo.title}`} checked={todo.done} onChange={() => change({ ...todo, done: !todo.done })} />
      {draft === null ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: as in every such list
        <span onDoubleClick={() => setDraft(todo.title)}>{todo.title}</span>
      ) : (
        <input
          aria-label="Edit"
          // biome-ignore lint/a11y/noAutofocus: as in every such list
          autoFocus
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => (event.key === 'Enter' ? commit() : event.key === 'Escape' && setDraft(null))}
        />
      )}
      <button type="button" className="destroy" aria-label={`Delete ${todo.title}`} onClick={remove}>
        ×
      </button>
    </li>
  );
}

function Todos() {
  const [todos, setTodos] = useState([]);
  const [title, setTitle] = useState('');
  const [shown, setShown] = useState('All');
  globalThis.state = `${shown}: ${todos.map((todo) => `${todo.done ? '+' : '-'}${todo.title}`)}`;
  const add = (event) => {
    event.preventDefault();
    if (title.trim()) setTodos([...todos, { id: todos.length + Math.random(), title: title.trim(), done: false }]);
    setTitle('');
  };
  return (
    <main>
      <h1>todos</h1>
      <form onSubmit={add}>
        <input placeholder="What needs to be done?" value={title} onChange={(event) => setTitle(event.target.value)} />
      </form>
      <ul>
        {todos.filter(SHOWN[shown]).map((todo) => (
          <Item
            key={todo.id}
            todo={todo}
            change={(next) => setTodos(todos.map((one) => (one.id === todo.id ? next : one)))}
            remove={() => setTodos(todos.filter((one) => one.id !== todo.id))}
          />
        ))}
      </ul>
      <footer>
        <strong>{todos.filter((todo) => !todo.done).length}</strong> items left
        {Object.keys(SHOWN).map((name) => (
          <a key={name} href={`#/${name}`} onClick={() => setShown(name)}>
            {name}
          </a>
        ))}
        {todos.some((todo) => todo.done) && (
          <button type="button" onClick={() => setTodos(todos.filter((todo) => !todo.done))}>
            Clear completed
          </button>
        )}
      </footer>
    </main>
  );
}

createRoot(document.querySelector('#root')).render(<Todos />);
globalThis.saves(() => globalThis.state);
