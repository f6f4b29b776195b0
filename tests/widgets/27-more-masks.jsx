import { useState } from 'react';
import { createRoot } from 'react-dom/client';

// A controlled field that formats what it holds at every change, and keeps the digits alone: as cards and phones are made.
function Card() {
  const [digits, setDigits] = useState('');
  const [amount, setAmount] = useState('0.00');
  globalThis.react = () => `${digits}|${amount}`;
  const cents = (text) => (Number(text.replace(/\D/g, '')) / 100).toFixed(2);
  return (
    <>
      <label>
        Card{' '}
        <input
          value={digits.replace(/(.{4})(?=.)/g, '$1 ')}
          onChange={(event) => setDigits(event.target.value.replace(/\D/g, '').slice(0, 16))}
        />
      </label>
      <label>
        Cents <input value={amount} onChange={(event) => setAmount(cents(event.target.value))} />
      </label>
    </>
  );
}

createRoot(document.querySelector('#root')).render(<Card />);
