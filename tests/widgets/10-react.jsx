import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import Select from 'react-select';

const CITIES = ['Berlin', 'Bergen', 'Bern', 'Boston'].map((label) => ({ value: label, label }));

function Profile() {
  const [name, setName] = useState('');
  const [agree, setAgree] = useState(false);
  const [size, setSize] = useState('s');
  const [city, setCity] = useState(null);
  const [many, setMany] = useState([]);
  globalThis.state = { name, agree, size, city: city?.value, many: many.map((one) => one.value) };
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <label>
        Name <input value={name} onChange={(event) => setName(event.target.value.toUpperCase())} />
      </label>
      <label>
        <input type="checkbox" checked={agree} onChange={(event) => setAgree(event.target.checked)} /> I agree
      </label>
      <label>
        Size
        <select value={size} onChange={(event) => setSize(event.target.value)}>
          <option value="s">Small</option>
          <option value="l">Large</option>
        </select>
      </label>
      <Select aria-label="City" options={CITIES} value={city} onChange={setCity} />
      <Select aria-label="Cities" isMulti options={CITIES} value={many} onChange={setMany} />
    </form>
  );
}

createRoot(document.querySelector('#root')).render(<Profile />);
globalThis.saves(() => JSON.stringify(globalThis.state));
