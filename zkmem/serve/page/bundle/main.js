var v,De,ge,E,ye,ne,Fe,ee,Re,be,me,gt,z=Symbol.for("pv"),ie={},_e=[],bt=/^m(i|n|o|s|text|space)$/,ke=Array.isArray,we=_e.
slice,D=Object.assign;function H(t){t&&t.parentNode&&t.remove()}function oe(t,e,n){var i,r,_2,o={},f=arguments.length;for(_2 in e)
_2=="key"?i=e[_2]:_2=="ref"&&typeof t!="function"?r=e[_2]:o[_2]=e[_2];return f>2&&(o.children=f>3?we.call(arguments,2):n),
B(t,o,i,r,null)}function B(t,e,n,i,r){var _2={type:t,props:e,key:n,ref:i,__k:null,__:null,__b:0,__e:null,__c:null,constructor:z,
__v:r||++De,__i:-1,__u:0};return!r&&v.vnode&&v.vnode(_2),_2}function F(t){return t.children}function W(t,e){this.props=t,
this.context=e,this.__g=0}function U(t,e){if(e==null)return t.__&&U(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&
n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:U(t)}function kt(t){var e,n=t.__v,i=n.__e,r=[],_2=[],
o=t.__P;o&&((e=D({constructor:z},n)).__v=n.__v+1,v.vnode&&v.vnode(e),Se(o,e,n,t.__n,o.namespaceURI,32&n.__u?[i]:null,r,i||
U(n),32&n.__u,_2),e.__v=n.__v,e.__.__k[e.__i]=e,Be(r,e,_2),n.__=n.__e=null,e.__e!=i&&We(e))}function We(t){if((t=t.__)&&
t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),We(t)}function je(t){(8&t.__g||(t.
__g|=8,E.push(t),ne++))&&ye==v.debounceRendering||((ye=v.debounceRendering)||queueMicrotask)(qe)}function qe(){try{for(var t,
e=1;E.length;)E.length>e&&E.sort(Fe),t=E.shift(),e=E.length,8&t.__g&&kt(t)}finally{(ne=E.length)&&(ye||queueMicrotask)(qe)}}
function Le(t,e,n,i,r,_2,o,f,c,a,s){var d,l,u,p,x,y,g=i.__k||_e,h=e.length;for(c=wt(n,e,g,c,h),d=0;d<h;d++)(u=n.__k[d])!=
null&&(l=~u.__i&&g[u.__i]||ie,u.__i=d,y=Se(t,u,l,r,_2,o,f,c,a,s),p=u.__e,(l.ref!=u.ref||8&l.__u)&&(l.ref&&xe(l.ref,null,
u,l),u.ref&&s.push(u.ref,u.__c||p,u)),x=x||p,4&u.__u?(c=Ie(u,c,t,!l.__v),l.__e&&(l.__e=null)):typeof u.type=="function"&&
y!==void 0?c=y:p&&(c=p.nextSibling),u.__u&=-21);return n.__e=x,c}function wt(t,e,n,i,r){var _2,o,f,c,a,s,d,l,u,p=n.length,
x=p,y=0,g=0,h=t.__k=Array(r);for(_2=0;_2<r;_2++)(o=e[_2])!=null&&typeof o!="boolean"&&typeof o!="function"?(typeof o!="object"||o.constructor===String?o=h[_2]=B(null,o):ke(o)?o=h[_2]=B(F,{children:o}):o.constructor===z&&o.__b?o=h[_2]=B(o.type,
o.props,o.key,o.ref,o.__v):h[_2]=o,c=_2+y,o.__=t,o.__b=t.__b+1,f=null,~(a=o.__i=St(o,n,c,x))&&(x--,(f=n[a])&&(f.__u|=2)),
f&&f.__v?(o.__u|=16,a==c-1?y--:a==c+1?y++:a!=c&&(a>c?y--:y++,g=1)):(~a||(r>p?y--:r<p&&y++),typeof o.type!="function"&&(o.
__u|=4))):h[_2]=null;if(g){for(s=[],d=[],_2=0;_2<r;_2++)if((o=h[_2])&&16&o.__u){for(y=0,l=s.length;y<l;)s[u=y+l>>1]<o.__i?
y=u+1:l=u;s[y]=o.__i,d[_2]=y+1}for(y=s.length;_2--;)d[_2]&&(d[_2]==y?y--:h[_2].__u|=4)}if(x)for(_2=0;_2<p;_2++)!(f=n[_2])||
2&f.__u||(f.__e==i&&(i=U(f)),Ce(f,f));return i}function Ie(t,e,n,i){var r,_2,o,f;if(typeof t.type=="function"){if(t.props.
__P)return e;if(r=t.__k)for(_2=0;_2<r.length;_2++)r[_2]&&(r[_2].__=t,e=Ie(r[_2],e,n,!1));return e}for(e&&!e.parentNode&&
(e=U(t))&&!e.parentNode&&(e=null),o=t.__e,f=e;f&&f.nodeType==8;)f=f.nextSibling;for(o!=f&&(!i&&n.moveBefore&&o.parentNode?
n.moveBefore(o,e):n.insertBefore(o,e||null)),e=o;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}
function St(t,e,n,i){var r,_2=t.key,o=t.type,f=e[n],c=f&&!(2&f.__u);if(f===null&&_2==null||c&&_2==f.key&&o==f.type)return n;
if(i>(c?1:0)){for(r=n-1;r>=0;r--)if((f=e[r])&&!(2&f.__u)&&_2==f.key&&o==f.type)return r;for(r=n+1;r<e.length;r++)if((f=e[r])&&
!(2&f.__u)&&_2==f.key&&o==f.type)return r}return-1}function He(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=
n}function Y(t,e,n,i,r){var _2,o;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof i=="string"&&(t.style.
cssText=i=""),i)for(e in i)n&&e in n||He(t.style,e);if(n)for(e in n)i&&n[e]==i[e]||He(t.style,e,n[e])}else if(e[0]=="o"&&
e[1]=="n")typeof n!="function"&&(n=null),typeof i!="function"&&(i=null),(t.__e||(t.__e={}))[e]=n,n&&i||(o=me[e]||(me[e]=
xt(e)),(t.__a||(t.__a={}))[e]=be,_2=e!=(e=e.replace(Re,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(
e,o,_2):t.removeEventListener(e,o,_2));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===
!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function xt(t){return function(e){var n=this.
__e;if(n){if(n=n[t],e[ee]==null)e[ee]=be++;else if(e[ee]<this.__a[t])return;return n(v.event?v.event(e):e)}}}function Se(t,e,n,i,r,_2,o,f,c,a){
var s,d,l,u,p,x,y,g,h,C,k,de,Ae,X2,O2,Oe,$2,j,T=e.type;if(e.constructor!==z)return null;128&n.__u&&(c=32&n.__u,s=n.__c.__z)&&
(e.__u|=c,d=_2=[],s.nodeType==8?f=te(s,_2):_2.push(s),f=_2[0]||f),(s=v.__b)&&s(e);e:if(typeof T=="function"){l=o.length;
try{if(g=e.props,h=(s=T.prototype)&&s.render,C=(s=T.contextType)&&i[s.__c],k=s?C?C.props.value:s.__:i,(u=n.__c)?(e.__c=u,
2&u.__g&&(u.__g|=1)):(h?e.__c=u=new T(g,k):(e.__c=u=new W(g,k),u.constructor=T,u.render=Pt),C&&C.sub(u),u.state||(u.state=
{}),u.__n=i,u.__g|=8,u.__h=[],u.__k=[]),h&&(u.__s||(u.__s=u.state),T.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=D(
{},u.__s)),D(u.__s,T.getDerivedStateFromProps(g,u.__s)))),p=u.props,x=u.state,u.__v=e,n.__c){if(g!==p&&h&&!T.getDerivedStateFromProps&&
u.componentWillReceiveProps&&u.componentWillReceiveProps(g,k),e.__v==n.__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&
u.shouldComponentUpdate(g,u.__s,k)===!1){e.__v!=n.__v&&(u.props=g,u.state=u.__s,u.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.
some(function(P){P&&(P.__=e)}),_e.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&o.push(u),f=U(n);break e}u.componentWillUpdate&&
u.componentWillUpdate(g,u.__s,k),h&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(p,x,y)})}else h&&!T.
getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),h&&u.componentDidMount&&u.__h.push(u.componentDidMount);
u.context=k,u.props=g,u.__P=t,u.__g&=-5,de=v.__r,Ae=h?25:0;do u.__g&=-9,de&&de(e),s=u.render(u.props,u.state=u.__s,u.context);while(8&
u.__g&&++Ae<25);h&&(_e.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(i=D({},i,u.getChildContext())),
h&&n.__c&&u.getSnapshotBeforeUpdate&&(y=u.getSnapshotBeforeUpdate(p,x)),X2=s&&s.type===F&&s.key==null?s.props.children:s,
g.__P&&(s=f,r=(t=g.__P).namespaceURI,c=_2=null,n.props&&n.props.__P!=t&&(n.__k.some(function(P){P&&Ce(P,P)}),n.__k=null),
f=n.__k?U(n,0):null),f=Le(t,ke(X2)?X2:[X2],e,n,i,r,_2,o,f,c,a),g.__P&&(e.__e=null,f=s),e.__u&=-161,d&&d.some(H),u.__h.length&&
o.push(u),1&u.__g&&(u.__g&=-4)}catch(P){if(o.length=l,e.__v=null,c||_2)if(P&&P.then){if(e.__u|=128|c,_2){for(~($2=_2.indexOf(
f||void 0))||($2=_2.length);(j=_2[$2-1])&&j.nodeType==8;)$2--;for(;$2<_2.length;$2++)if(j=_2[$2])if(_2[$2]=null,O2){if(j==
Oe)break}else{if(j.nodeType!=8)break;j.data.startsWith("$s")&&(Oe=te(O2=j))}}if(!O2){for(;f&&f.nodeType==8&&f.nextSibling;)
f=f.nextSibling;O2=f}(s=te(O2=e.__c.__z||(e.__c.__z=O2)))?(e.__e=O2,f=s):e.__e=f,f=f&&f.nextSibling}else _2&&_2.some(H);else
e.__e=n.__e;e.__k||(e.__k=n.__k||[]),P&&P.then||Ve(e),v.__e(P,e,n)}}else f=e.__e=Ct(n.__e,e,n,i,r,_2,o,c,a,t);return(s=v.
diffed)&&s(e),f}function te(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==
8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function Ve(t){t&&(t.__c&&
(t.__c.__g|=4),t.__k&&t.__k.some(Ve))}function Be(t,e,n){for(var i=0;i<n.length;)xe(n[i++],n[i++],n[i++]);v.__c&&v.__c(e,
t),t.some(function(r){try{t=r.__h,r.__h=[],t.some(function(_2){_2.call(r)})}catch(_2){v.__e(_2,r.__v)}})}function Ct(t,e,n,i,r,_2,o,f,c,a){
var s,d,l,u,p,x,y,g,h=n.props||ie,C=e.props,k=e.type;if(k=="svg"?r="http://www.w3.org/2000/svg":k=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),_2){for(s=0;s<_2.length;s++)if((p=_2[s])&&(k?p.localName==
k:p.nodeType==3)){t=p,_2[s]=null;break}}if(!t){if(g=a.ownerDocument||document,!k)return g.createTextNode(C);t=g.createElementNS(
r,k,C.is?C:a),f&&(v.__m&&v.__m(e,_2),f=!1),_2=null}if(k){if(a=k=="template"&&t.content||t,_2=k=="textarea"&&C.defaultValue!=
null?null:_2&&we.call(a.childNodes),!f&&_2)for(h={},s=0;s<t.attributes.length;s++)h[(p=t.attributes[s]).name]=p.value;for(s in h)
p=h[s],s=="dangerouslySetInnerHTML"?l=p:s=="children"||s in C||s=="value"&&"defaultValue"in C||s=="checked"&&"defaultChecked"in C||Y(t,s,null,p,r);for(s in C)p=C[s],s=="children"?u=p:s=="dangerouslySetInnerHTML"?d=p:s=="value"?x=p:s=="checked"?y=p:f&&typeof p!="function"||h[s]===p||Y(t,s,p,h[s],r);d?(f||l&&(d.__html==l.__html||d.__html==t.innerHTML)||(t.innerHTML=
d.__html),e.__k=[]):(l&&(t.textContent=""),(k=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&bt.test(k))&&(r=
"http://www.w3.org/1999/xhtml"),Le(a,ke(u)?u:[u],e,n,i,r,_2,o,_2?_2[0]:n.__k&&U(n,0),f,c),_2&&_2.some(H)),f&&k!="textarea"||(s="value",k=="progress"&&x==null?t.removeAttribute(s):x==null||x===t[s]&&(k!="progress"||x)||Y(t,s,x,h[s],r),s="checked",y!=null&&y!=t[s]&&Y(t,s,y,h[s],r))}else h===C||f&&t.data==C||(t.data=C);return t}function xe(t,e,n,i){try{typeof t==
"function"?e?e.__x=t(e)||1:i&&(i=i.__c||i.__e)&&(e=i.__x)&&(i.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){
v.__e(r,n)}}function Ce(t,e,n){var i,r,_2,o;if(v.unmount&&v.unmount(t),!(i=t.ref)||i.current&&i.current!=t.__e||xe(i,null,
e,t),i=t.__c){if(i.componentWillUnmount)try{i.componentWillUnmount()}catch(f){v.__e(f,e)}i.__P=i.__n=null}if(i=t.__k)for(o=
0;o<i.length;o++)i[o]&&Ce(i[o],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(i=t.__c)&&(i=i.__z)&&(r=te(i,_2=[]))&&
(i==t.__e&&_2.some(H),H(r),H(i)),n||H(t.__e),t.__e=t.__c=t.__=null}function Pt(t,e,n){return this.constructor(t,n)}function Tt(t,e){
var n,i,r,_2;v.__&&v.__(t,e),e.nodeType==9&&(e=e.documentElement),i=(n=t&&32&t.__u)?null:e.__k,e.__k=B(F,{children:[t]}),
r=[],_2=[],Se(e,e.__k,i||ie,ie,e.namespaceURI,i?null:e.firstChild?we.call(e.childNodes):null,r,i?i.__e:e.firstChild,n,_2),
Be(r,e.__k,_2),e.__k.props.children=null}v={__e:function(t,e,n,i){for(var r,_2,o;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=
4;try{if((o=(_2=r.constructor)&&_2.getDerivedStateFromError)&&r.setState(_2.getDerivedStateFromError(t)),r.componentDidCatch&&
(r.componentDidCatch(t,i||{}),o=1),o&&8&r.__g)return void(r.__g|=2)}catch(f){t=f}}throw ne=0,t}},De=0,ge=function(t){return t!=
null&&t.constructor===z},W.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=D({},this.state)),
typeof t=="function"&&(t=t(D({},n),this.props)),t&&(D(n,t),this.__v&&(e&&this.__k.push(e),je(this)))},W.prototype.forceUpdate=
function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),je(this))},W.prototype.render=F,E=[],ne=0,Fe=function(t,e){return t.
__v.__b-e.__v.__b},ee=Symbol(),Re=/(PointerCapture)$|Capture$/i,be=0,me={},gt=0;var Ge=function(t,e,n,i){var r;e[0]=0;for(var _2=1;_2<
e.length;_2++){var o=e[_2++],f=e[_2]?(e[0]|=o?1:2,n[e[_2++]]):e[++_2];o===3?i[0]=f:o===4?i[1]=Object.assign(i[1]||{},f):
o===5?(i[1]=i[1]||{})[e[++_2]]=f:o===6?i[1][e[++_2]]+=f+"":o?(r=t.apply(f,Ge(t,f,n,["",null])),i.push(r),f[0]?e[0]|=2:(e[_2-
2]=0,e[_2]=r)):i.push(f)}return i},ze=new Map;function Je(t){var e=ze.get(this);return e||(e=new Map,ze.set(this,e)),(e=
Ge(this,e.get(t)||(e.set(t,e=(function(n){for(var i,r,_2=1,o="",f="",c=[0],a=function(l){_2===1&&(l||(o=o.replace(/^\s*\n\s*|\s*\n\s*$/g,
"")))?c.push(0,l,o):_2===3&&(l||o)?(c.push(3,l,o),_2=2):_2===2&&o==="..."&&l?c.push(4,l,0):_2===2&&o&&!l?c.push(5,0,!0,o):
_2>=5&&((o||!l&&_2===5)&&(c.push(_2,0,o,r),_2=6),l&&(c.push(_2,l,0,r),_2=6)),o=""},s=0;s<n.length;s++){s&&(_2===1&&a(),a(
s));for(var d=0;d<n[s].length;d++)i=n[s][d],_2===1?i==="<"?(a(),c=[c],_2=3):o+=i:_2===4?o==="--"&&i===">"?(_2=1,o=""):o=
i+o[0]:f?i===f?f="":o+=i:i==='"'||i==="'"?f=i:i===">"?(a(),_2=1):_2&&(i==="="?(_2=5,r=o,o=""):i==="/"&&(_2<5||n[s][d+1]===
">")?(a(),_2===3&&(c=c[0]),_2=c,(c=c[0]).push(2,0,_2),_2=0):i===" "||i==="	"||i===`
`||i==="\r"?(a(),_2=2):o+=i),_2===3&&o==="!--"&&(_2=4,c=c[0])}return a(),c})(t)),e),arguments,[])).length>1?e:e[0]}var M,
b,Pe,Ze,Te=Object.is,re=0,_t=[],Ne=[],w=v,Ke=w.__b,Qe=w.__r,Xe=w.diffed,Ye=w.__c,et=w.unmount,tt=w.__;function q(t,e){w.
__h&&w.__h(b,t,re||e),re=0;var n=b.__H||(b.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function ot(t){
return re=1,rt(st,t)}function rt(t,e,n){var i=q(M++,2);if(i.t=t,!i.__c&&(i.__=[n?n(e):st(void 0,e),function(_2){var o=(i.
__N||i.__)[0],f=i.t(o,_2);Te(o,f)||(i.__N=[f,i.__[1]],i.__c.setState({}))}],i.__c=b,!b.__f)){b.__f=!0;var r=b.shouldComponentUpdate;
b.shouldComponentUpdate=function(_2,o,f){var c=this.__H;if(!c)return!0;var a=!1,s=this.props!=_2;if(c.__.some(function(l){
l.__N&&(a=!0,Te(l.__[0],l.__N[0])||(s=!0))}),r){var d=r.call(this,_2,o,f);return a?d||s:d}return!a||s}}return i.__}function ut(t,e){
var n=q(M++,3);!w.__s&&Ee(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,b.__H.__h.push(n))}function Nt(t,e){var n=q(M++,4);!w.__s&&Ee(
n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,b.__h.push(n))}function ft(t){return re=5,ue(function(){return{current:t}},[])}function ue(t,e){
var n=q(M++,7);return Ee(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function $t(t){var e=q(M++,10),n=ot();return e.__=t,b.componentDidCatch||
(b.componentDidCatch=function(i,r){e.__&&e.__(i,r),n[1](i)}),[n[0],function(){return n[1]()}]}function Et(){var t=q(M++,
11);if(!t.__){for(var e=b.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function Ut(){
var t;do{for(;t=Ne.shift();)try{G(t)}catch(n){w.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=_t.shift();){var e=t.__H;if(t.__P&&e)
try{e.__h.some(G),e.__h.some($e),e.__h=[]}catch(n){e.__h=[],w.__e(n,t.__v)}}}while(Ne.length)}w.__b=function(t){b=null,Ke&&
Ke(t)},w.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),tt&&tt(t,e)},w.__r=function(t){Qe&&Qe(t),M=0;var e=(b=t.
__c).__H;e&&(Pe==b?b.__h=[]:(e.__h.some(G),e.__h.some($e),M=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.
__N=void 0})),Pe=b},w.diffed=function(t){Xe&&Xe(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&it(_t.push(e)),e.__H.__.some(
function(n){n.u&&(n.__H=n.u)})),Pe=b=null},w.__c=function(t,e){e.some(function(n){try{n.__h.some(G),n.__h=n.__h.filter(function(i){
return!i.__||$e(i)})}catch(i){n.__h=[function(){throw i}]}}),Ye&&Ye(t,e)},w.unmount=function(t){et&&et(t);var e,n,i=t.__c;
i&&i.__H&&(i.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&
n.__c}r.__P=n,it(Ne.push(r))}else G(r)}catch(_2){e=_2}}),i.__H=void 0,e&&w.__e(e,i.__v))};var nt=typeof requestAnimationFrame==
"function";function Mt(t){var e,n=function(){clearTimeout(i),nt&&cancelAnimationFrame(e),setTimeout(t)},i=setTimeout(n,35);
nt&&(e=requestAnimationFrame(n))}function it(t){t!=1&&Ze==w.requestAnimationFrame||((Ze=w.requestAnimationFrame)||Mt)(Ut)}
function G(t){var e=b,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),b=e}function $e(t){var e=b;t.__c=t.__(),b=e}function Ee(t,e){
return!t||t.length!=e.length||e.some(function(n,i){return!Te(n,t[i])})}function st(t,e){return typeof e=="function"?e(t):
e}var At=Symbol.for("preact-signals");function ae(){if(N>1)N--;else{var t,e=!1;for((function(){var r=se;for(se=void 0;r!==
void 0;){var _2=r.S;if(_2.v===r.v)for(var o=_2.t;o!==void 0;o=o.x)o.i===r.i&&(o.i=_2.i);r=r.o}})();Z!==void 0;){var n=Z;
for(Z=void 0,fe++;n!==void 0;){var i=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&at(n))try{n.c()}catch(r){e||(t=r,e=!0)}n=i}}if(fe=
0,N--,e)throw t}}function le(t){if(N>0)return t();Ue=++Ot,N++;try{return t()}finally{ae()}}var J,m=void 0;function L(t){
var e=m,n=J;m=void 0,J=void 0;try{return t()}finally{m=e,J=n}}var Z=void 0,N=0,fe=0,Ot=0,Ue=0,se=void 0,ce=0;function ct(t){
if(m!==void 0){var e=t.n;if(e===void 0||e.t!==m)return e={i:0,S:t,p:m.s,n:void 0,t:m,e:void 0,x:void 0,r:e},m.s!==void 0&&
(m.s.n=e),m.s=e,t.n=e,32&m.f&&t.S(e),e;if(e.i===-1)return e.i=0,e.n!==void 0&&(e.n.p=e.p,e.p!==void 0&&(e.p.n=e.n),e.p=m.
s,e.n=void 0,m.s.n=e,m.s=e),e}}function S(t,e){this.v=t,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=e?.watched,
this.Z=e?.unwatched,this.name=e?.name}S.prototype.brand=At;S.prototype.h=function(){return!0};S.prototype.S=function(t){
var e=this,n=this.t;n!==t&&t.e===void 0&&(t.x=n,this.t=t,n!==void 0?n.e=t:L(function(){var i;(i=e.W)==null||i.call(e)}))};
S.prototype.U=function(t){var e=this;if(this.t!==void 0){var n=t.e,i=t.x;n!==void 0&&(n.x=i,t.e=void 0),i!==void 0&&(i.e=
n,t.x=void 0),t===this.t&&(this.t=i,i===void 0&&L(function(){var r;(r=e.Z)==null||r.call(e)}))}};S.prototype.subscribe=function(t){
var e=this;return A(function(){var n=e.value;L(function(){return t(n)})},{name:"sub"})};S.prototype.valueOf=function(){return this.
value};S.prototype.toString=function(){return this.value+""};S.prototype.toJSON=function(){return this.value};S.prototype.
peek=function(){var t=this;return L(function(){return t.value})};Object.defineProperty(S.prototype,"value",{get:function(){
var t=ct(this);return t!==void 0&&(t.i=this.i),this.v},set:function(t){if(t!==this.v){if(fe>100)throw new Error("Cycle detected");(function(n){N!==0&&fe===0&&n.l!==Ue&&(n.l=Ue,se={S:n,v:n.v,i:n.i,o:se})})(this),this.v=t,this.i++,ce++,N++;try{
for(var e=this.t;e!==void 0;e=e.x)e.t.N()}finally{ae()}}}});function K(t,e){return new S(t,e)}function at(t){for(var e=t.
s;e!==void 0;e=e.n)if(e.S.i!==e.i||!e.S.h()||e.S.i!==e.i)return!0;return!1}function lt(t){for(var e=t.s;e!==void 0;e=e.n){
var n=e.S.n;if(n!==void 0&&(e.r=n),e.S.n=e,e.i=-1,e.n===void 0){t.s=e;break}}}function pt(t){for(var e=t.s,n=void 0;e!==
void 0;){var i=e.p;e.i===-1?(e.S.U(e),i!==void 0&&(i.n=e.n),e.n!==void 0&&(e.n.p=i)):n=e,e.S.n=e.r,e.r!==void 0&&(e.r=void 0),
e=i}t.s=n}function R(t,e){S.call(this,void 0,e),this.x=t,this.s=void 0,this.g=ce-1,this.f=4}R.prototype=new S;R.prototype.
h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===ce))return!0;if(this.g=ce,this.f|=
1,this.i>0&&!at(this))return this.f&=-2,!0;var t=m;try{lt(this),m=this;var e=this.x();(16&this.f||this.v!==e||this.i===0)&&
(this.v=e,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return m=t,pt(this),this.f&=-2,!0};R.prototype.S=function(t){
if(this.t===void 0){this.f|=36;for(var e=this.s;e!==void 0;e=e.n)e.S.S(e)}S.prototype.S.call(this,t)};R.prototype.U=function(t){
if(this.t!==void 0&&(S.prototype.U.call(this,t),this.t===void 0)){this.f&=-33;for(var e=this.s;e!==void 0;e=e.n)e.S.U(e)}};
R.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var t=this.t;t!==void 0;t=t.x)t.t.N()}};Object.defineProperty(R.prototype,
"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var t=ct(this);if(this.h(),t!==void 0&&(t.i=this.i),
16&this.f)throw this.v;return this.v}});function pe(t,e){return new R(t,e)}function ht(t){var e=t.j;if(t.j=void 0,typeof e==
"function"){N++;var n=m;m=void 0;try{e()}catch(i){throw t.f&=-2,t.f|=8,Me(t),i}finally{m=n,ae()}}}function Me(t){for(var e=t.
s;e!==void 0;e=e.n)e.S.U(e);t.x=void 0,t.s=void 0,ht(t)}function jt(t){if(m!==this)throw new Error("Out-of-order effect");
pt(this),m=t,this.f&=-2;try{8&this.f&&Me(this)}finally{ae()}}function I(t,e){this.x=t,this.j=void 0,this.s=void 0,this.u=
void 0,this.f=32,this.name=e?.name,J&&J.push(this)}I.prototype.c=function(){var t=this.S();try{if(8&this.f||this.x===void 0)
return;var e=this.x();typeof e=="function"&&(this.j=e)}finally{t()}};I.prototype.S=function(){if(1&this.f)throw new Error(
"Cycle detected");this.f|=1,this.f&=-9,ht(this),lt(this),N++;var t=m;return m=this,jt.bind(this,t)};I.prototype.N=function(){
2&this.f||(this.f|=2,this.u=Z,Z=this)};I.prototype.d=function(){this.f|=8,1&this.f||Me(this)};I.prototype.dispose=function(){
this.d()};function A(t,e){var n=new I(t,e);try{n.c()}catch(r){throw n.d(),r}var i=n.d.bind(n);return i[Symbol.dispose]=i,
i}var vt,ve,he,Ht=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__,dt=[];A(function(){vt=this.N})();function V(t,e){
v[t]=e.bind(null,v[t]||function(){})}function Q(t){if(he){var e=he;he=void 0,e()}he=t&&t.S()}function yt(t){var e=this,n=t.
data,i=Ft(n);i.name="ReactiveDom",i.value=n;var r=ue(function(){for(var f=e,c=e.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}
var a=pe(function(){var u=i.value.value;return u===0?0:u===!0?"":u||""}),s=pe(function(){return!Array.isArray(a.value)&&
!ge(a.value)}),d=A(function(){if(this.N=mt,s.value){var u=a.value;f.__v&&f.__v.__e&&f.__v.__e.nodeType===3&&(f.__v.__e.data=
u)}}),l=e.__$u.d;return e.__$u.d=function(){d(),l.call(this)},[s,a]},[]),_2=r[0],o=r[1];return _2.value?o.peek():o.value}
yt.displayName="ReactiveTextNode";Object.defineProperties(S.prototype,{constructor:{configurable:!0,value:oe(F,null).constructor},
type:{configurable:!0,value:yt},props:{configurable:!0,get:function(){var t=this;return{data:{get value(){return t.value}}}}},
__b:{configurable:!0,value:1}});V("__b",function(t,e){if(Q(),ve=void 0,typeof e.type=="string"){var n,i=e.props;for(var r in i)
if(r!=="children"){var _2=i[r];_2 instanceof S&&(n||(e.__np=n={}),n[r]=_2,i[r]=_2.peek())}}t(e)});V("__r",function(t,e){
if(t(e),e.type!==F){Q();var n,i=e.__c;i&&(i.__$f&=-2,(n=i.__$u)===void 0&&(i.__$u=n=(function(r,_2){var o;return A(function(){
o=this},{name:_2}),o.c=r,o})((function(r){return function(){var _2;Ht&&((_2=this.y)==null||_2.call(this)),r.__$f|=1,r.setState(
{})}})(i),typeof e.type=="function"?e.type.displayName||e.type.name:""))),ve=i,Q(n)}});V("__e",function(t,e,n,i){Q(),ve=
void 0,t(e,n,i)});V("diffed",function(t,e){Q(),ve=void 0;var n;if(typeof e.type=="string"&&(n=e.__e)){var i=e.__np,r=e.props,
_2=n.U;if(_2)for(var o in _2){var f=_2[o];f===void 0||i&&o in i||(f.d(),_2[o]=void 0)}if(i){_2||(_2={},n.U=_2);for(var c in i){
var a=_2[c],s=i[c];a===void 0?(a=Dt(n,c,s,r),_2[c]=a):a.o(s,r)}}}t(e)});function Dt(t,e,n,i){var r=e in t&&t.ownerSVGElement===
void 0,_2=K(n);return{o:function(o,f){_2.value=o,i=f},d:A(function(){this.N=mt;var o=_2.value.value;i[e]!==o&&(i[e]=o,r?
t[e]=o:o!=null&&(o!==!1||e[4]==="-")?t.setAttribute(e,o):t.removeAttribute(e))})}}V("unmount",function(t,e){if(typeof e.
type=="string"){var n=e.__e;if(n){var i=n.U;if(i){n.U=void 0;for(var r in i){var _2=i[r];_2&&_2.d()}}}var o=e.__np;if(o){
var f=e.props;for(var c in o)f[c]=o[c]}e.__np=void 0}else{var a=e.__c;if(a){a.__$f|=8;var s=a.__$u;s&&(a.__$u=void 0,s.d())}}
t(e)});V("__h",function(t,e,n,i){i<3&&(e.__$f|=2),t(e,n,i)});W.prototype.shouldComponentUpdate=function(t,e){if(this.__R)
return!0;var n=this.__$u,i=n&&n.s!==void 0;for(var r in e)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var _2=2&
this.__$f;if(!(i||_2||4&this.__$f)||1&this.__$f)return!0}else if(!(i||4&this.__$f)||3&this.__$f)return!0;for(var o in t)
if(o!=="__source"&&t[o]!==this.props[o])return!0;for(var f in this.props)if(!(f in t))return!0;return!1};function Ft(t,e){
return ue(function(){return K(t,e)},[])}var Rt=function(t){queueMicrotask(function(){queueMicrotask(t)})};function Wt(){
le(function(){for(var t;t=dt.shift();)vt.call(t)})}function mt(){dt.push(this)===1&&(v.requestAnimationFrame||Rt)(Wt)}function qt(t,e,...n){
return this[0]=3,oe(t,e,...n)}var nn=Je.bind(qt);var shared=globalThis,asked=shared.zkmemAsked??={answers:new Map,token:null,isPageThere:!1};var ApiError=class extends Error{constructor(status,{kind,message,...data}){super(message),this.name="ApiError",this.status=
status,this.kind=kind,this.data=data}},statusOf=error=>error instanceof ApiError?error.status:void 0;var CAN_USE_PASSKEYS=typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON=="function",REASONS={InvalidStateError:"This device has a passkey of yours already.",NotAllowedError:"No passkey came: the question was closed or took too long, or there is no passkey for this server.",SecurityError:"Passkeys work at the public address of the server only."},usePasskey=options=>asked2(
()=>navigator.credentials.get({publicKey:PublicKeyCredential.parseRequestOptionsFromJSON(options)})),makePasskey=options=>asked2(
()=>navigator.credentials.create({publicKey:PublicKeyCredential.parseCreationOptionsFromJSON(options)}));async function asked2(ask){
try{return JSON.stringify(await ask())}catch(error){throw error instanceof DOMException?new Error(REASONS[error.name]??error.
message,{cause:error}):error}}var FOLDER=new URL(".",location.href).pathname,fileOf=path2=>new URL(path2,import.meta.url).href,addressOf=name=>new URL(
`../${encodeURIComponent(name)}/`,location.href).href;var PREFIX="zkmem-token:",KEY=`${PREFIX}${FOLDER}`,tab=()=>sessionStorage,device=()=>localStorage;function read(storage,key){
try{return storage().getItem(key)}catch{return null}}var keptToken=()=>read(tab,KEY)??read(device,KEY);var vault=K(null),changed=K({names:[],by:null,at:0}),connection=K("connecting"),oldestVersion=K(1/0),missedChanges=K(0);
function canWrite(name){let{can_write:may=!1,folder:folder2=""}=vault.value??{};return may&&(!folder2||name.startsWith(`${folder2}/`))}var unseen=K(null),takenBack=K(0),proposals=K(0),proposed=K([]),askedProposed=K(!1),now=K(Date.now()),route=K({view:"",
name:null,list:null,subpath:"",at:"",named:""}),address=K({hash:"",position:0}),confirmLeave=K(null),tab2=K("panel"),openNote=K(
null),openFolders=K(new Set),pinned=K([]),sliderWanted=K(!1),takeFiles=K(null),depth=K(0),toasts=K([]),toastCount=K(0),helpShown=K(
!1),offered=K([]),paletteShown=K(!1),creating=K(null),noteToEdit=K(null),undoing=K(null),signInsShown=K(!1),tokenQuestion=K(
null),isSignInNeeded=K(!1),tokensGiven=K(0),theme=K("auto"),themeChanges=K(0),colourBy=K(null),labels=K(2),showMissing=K(
!0),folder=K(""),tag=K(""),writer=K(""),days=K(0),leaveOut=K(!1),until=K(null),sizeBy=K("weight"),sizeScale=K(1),pathEnds=K(
{from:"",to:""}),path=K([]),hiddenGroups=K(new Set),around=K(0),noteNames=K([]),about=K({notes:0,links:0,missing:0,proposed:0,
folders:[],entries:[],arranging:!0,shared:""}),stage=K(null),picture=K(null),layout=K(null),graphEtag=K(null),folderSlots=K(
{}),facts=K(null),replaying=K(!1),noteToShow=K(null),style=K(null);var tabs=new BroadcastChannel("zkmem:signed-out"),ALL="*";function write(storage,key,value){try{value===null?storage().removeItem(
key):storage().setItem(key,value)}catch{}}var inMemory=keptToken(),token=()=>inMemory;function setToken(value,remember=!1){
inMemory=value,keepTokenOf(FOLDER,value,remember),tokensGiven.value+=1}function keepTokenOf(folder2,value,remember=!1){write(
tab,PREFIX+folder2,value),write(device,PREFIX+folder2,remember?value:null)}function otherTokens(){return keys().filter(key=>key!==
KEY).map(key=>{let kept=read(device,key);return{folder:key.slice(PREFIX.length),token:kept??read(tab,key)??"",remembered:kept!==
null}})}function keys(){let found=[tab,device].flatMap(storage=>{try{return Object.keys(storage())}catch{return[]}});return[
...new Set(found)].filter(key=>key.startsWith(PREFIX))}function forgetToken(all=!1){all&&dropAll(),drop(),write(device,KEY,
null),tabs.postMessage(all?ALL:FOLDER)}function dropAll(){for(let key of keys())for(let storage of[tab,device])write(storage,
key,null)}function drop(){inMemory=null,write(tab,KEY,null)}function onSignedOut(act){tabs.addEventListener("message",({
data})=>{data!==FOLDER&&data!==ALL||(data===ALL&&dropAll(),drop(),act())})}function onSignedIn(act){addEventListener("storage",({key,newValue})=>{key!==KEY||!newValue||newValue===inMemory||(inMemory=newValue,write(tab,KEY,newValue),tokensGiven.
value+=1,act())})}function tokenGiven(){let before2=tokensGiven.peek();return new Promise(resolve=>{let stop=tokensGiven.
subscribe(count=>{count!==before2&&(resolve(void 0),queueMicrotask(()=>stop()))})})}var KIND=document.querySelector('meta[name="sign-in"]')?.getAttribute("content"),HAS_PASSWORDS=KIND!=="token",HAS_PASSKEYS=KIND===
"passkey"&&CAN_USE_PASSKEYS,send=(path2,values,secret=null)=>fetch(path2,{method:"POST",body:new URLSearchParams(values),
headers:secret?{Authorization:`Bearer ${secret}`}:{}});async function answer(...form){let response=await send(...form),{
error,...given}=await response.json();if(!response.ok)throw new ApiError(response.status,error);return given}async function tokenFor(values){
let{token:given,vault:vault2}=await answer("session",values),folder2=vault2?new URL(addressOf(vault2)).pathname:FOLDER;return folder2===
FOLDER?given:(keepTokenOf(folder2,given,values.remember==="true"),location.href=folder2,new Promise(()=>{}))}async function tokenForPasskey(remember){
let passkey=await usePasskey(await answer("session/passkey",{}));return tokenFor({passkey,remember:String(remember)})}async function addPasskey(name,password){
let options=await answer("passkeys/begin",{password},token());return(await answer("passkeys",{name,passkey:await makePasskey(
options)},token())).name}var attempt=null,signInFromElsewhere=()=>attempt??=HAS_PASSWORDS?tryOthers():Promise.resolve(!1);
async function tryOthers(){for(let{token:other,remembered}of otherTokens()){let given=await tokenFor({token:other}).catch(
()=>null);if(given)return setToken(given,remembered),!0}return!1}async function endSignIn(){let used=token();if(!HAS_PASSWORDS)
return forgetToken();let others2=otherTokens().map(one=>({...one,end:one.folder.startsWith("/v/")?one.folder:""}));forgetToken(
!0);let ends=[{end:"",token:used},...others2].map(one=>one.token&&send(`${one.end}revoke`,{client_id:"page",token:one.token}).
catch(()=>{}));await Promise.all(ends)}var FIELDS='input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]',isField=element=>!!element?.
closest(FIELDS),isTyping=()=>isField(document.activeElement);function belongsToField({target}){return target instanceof Element&&
(isField(target)||!!target.closest("dialog"))}function useKey(key,act){let latest=ft(act);latest.current=act,Nt(()=>{let press=event=>{
let plain=!event.ctrlKey&&!event.metaKey&&!event.altKey&&!belongsToField(event);event.key!==key||event.defaultPrevented||
!plain||!latest.current||document.querySelector("dialog[open]")||(event.preventDefault(),latest.current())};return addEventListener(
"keydown",press),()=>removeEventListener("keydown",press)},[])}async function request(path2,options={}){let{method="GET",params,headers={},body,signal,interrupt=method!=="GET",onSent}=options,
url=`api/${path2}${query(params)}`;for(;;){let used=token(),sent={"Zkmem-Client":"page",...headers,...used&&{Authorization:`Bearer ${used}`}},response=method==="GET"&&await takeEarly(url,used)||await send2(url,{method,headers:sent,body,signal,cache:"no-store"},onSent);if(response.status!==401){let version=Number(response.headers.get("Zkmem-Version")??NaN);if(oldestVersion.
value=Math.min(oldestVersion.peek(),version),response.ok||response.status===304)return response;throw await failure(response)}
token()!==used||used===null&&await signInFromElsewhere()||await askForToken(used!==null,interrupt)}}var EARLY_MS=1e4;asked.
isPageThere=!0;async function takeEarly(url,used){let answer2=performance.now()<EARLY_MS&&asked.token===used?await asked.
answers.get(url):null;return asked.answers.delete(url),answer2?.ok?answer2:null}async function isAccepted(value){if(!/^[\x21-\x7e]+$/.
test(value))return!1;let headers={"Zkmem-Client":"page",Authorization:`Bearer ${value}`},response=await send2("api/vault",
{headers,cache:"no-store"});if(!response.ok&&response.status!==401)throw await failure(response);return response.ok}function askForToken(refused,interrupt){
let question=tokenQuestion.peek()??{refused,shown:!1,...Promise.withResolvers()};return tokenQuestion.value={...question,
shown:question.shown||interrupt||!isTyping()},question.promise}var NOW={at:"",named:""},api={vault:()=>get("vault"),signIns:()=>get(
"signins"),endSignIn:name=>json(request(`signins/${encodeName(name)}`,{method:"DELETE"})),passkeys:()=>get("passkeys"),removePasskey:id=>json(
request(`passkeys/${encodeName(id)}`,{method:"DELETE"})),sync:()=>get("sync"),note:(name,depth2=0,{at:at2,named:named2}=NOW,signal=void 0)=>get(
`notes/${encodeName(name)}`,{depth:depth2,at:at2,named:named2},{signal}),part:(name,depth2,offset,{at:at2,named:named2}=NOW)=>get(
`parts/${encodeName(name)}`,{depth:depth2,offset,at:at2,named:named2}),mentions:name=>get(`mentions/${encodeName(name)}`),
home:count=>get("home",{count}),hint:()=>get("hint"),proposeHint:()=>post("hint",{}),tree:(opened,count)=>get("tree",{open:JSON.
stringify(opened),count}),graphAround:around2=>get("graph",{around:around2}),names:(q2,count,signal)=>get("names",{q:q2,
count},{signal}),search:(q2,count,signal)=>get("search",{q:q2,count},{signal}),places:(q2,count,signal)=>get("places",{q:q2,
count},{signal}),inUse:(q2,property,count,signal)=>get("properties",{q:q2,property,count},{signal}),bases:()=>get("bases"),
table:wanted=>get("table",wanted),hints:count=>get("hints",{count}),suggestions:count=>get("suggestions",{count}),findings:(kind,count,look)=>get(
"findings",{kind,count,look}),log:(name,count)=>get("log",{name,count}),given:()=>get("given",{count:100}),edit:edit=>get(
"log",{edit}),review:(before2,count)=>get("review",{before:before2,count}),brief:(filter,from,count)=>get("brief",{...filter,
from,count}),replay:which=>get("replay",/^\d+$/.test(which)?{sitting:which}:{since:which==="unseen"?"":which}),change:line=>get(
"brief/change",line),proposed:()=>get("proposed"),proposedGroup:group=>get(`proposed?${new URLSearchParams(group)}`),proposedChanges:(client,edit,from=0,count=void 0)=>get(
"proposed/changes",{client,edit,from,count}),blocked:client=>get("proposed/blocked",{client}),proposedVersions:(client,edit)=>get(
"proposed/versions",{client,edit}),revision:(name,rev)=>get("revision",{name,rev}),why:name=>get("why",{name}),diff:(name,rev,to="")=>get(
"diff",{name,rev,to}),blob:async path2=>(await request(`files/${encodeName(path2)}`)).blob(),save:(name,content,etag)=>{
let condition=etag===null?{"If-None-Match":"*"}:ifMatch(etag);return put(`notes/${encodeName(name)}`,{content},condition)},
remove:(name,etag)=>json(request(`notes/${encodeName(name)}`,{method:"DELETE",headers:ifMatch(etag)})),attach:(file,onSent)=>post(
"attachments",file,{onSent}),detach:paths=>post("attachments/discard",{paths}),merge:texts=>post("merge",texts),resolve:edit=>post(
"resolve",edit),link:edit=>post("link",edit),repoint:edit=>post("repoint",edit),setProperties:edit=>post("properties",edit),
rename:edit=>post("rename",edit),extract:edit=>post("extract",edit),restore:edit=>post("restore",edit),undo:edits=>post(
"undo",edits),accept:edits=>post("proposed/accept",edits),drop:edits=>post("proposed/drop",edits),viewed:lines=>post("viewed",lines),markSeen:edits=>post("seen",edits),markUnseen:edits=>post("unseen",edits),redo:edits=>post("redo",edits),preview:(path2,edit)=>post(
path2,{...edit,preview:!0},{interrupt:!1})},encodeName=name=>name.split("/").map(encodeURIComponent).join("/"),ifMatch=etag=>({
"If-Match":`"${etag}"`}),json=async response=>(await response).json(),get=(path2,params={},more={})=>json(request(path2,
{params,...more})),JSON_TYPE={"Content-Type":"application/json"},post=(path2,body,more={})=>json(request(path2,{method:"POST",headers:JSON_TYPE,body:JSON.stringify(body),...more})),put=(path2,body,headers)=>json(request(path2,{method:"PUT",
headers:{...JSON_TYPE,...headers},body:JSON.stringify(body)}));function query(params={}){let given=Object.entries(params).
filter(([,value])=>value!=null&&value!=="");return given.length?`?${new URLSearchParams(given.map(([name,value])=>[name,
String(value)]))}`:""}async function send2(url,options,onSent){try{return await(onSent?sendReporting(url,options,onSent):
fetch(url,options))}catch(error){throw error instanceof DOMException&&error.name==="AbortError"?error:new ApiError(0,{kind:"NoAnswer",message:"The server does not answer; is it still running?"})}}var sendReporting=(url,{method="GET",headers,body},onSent)=>new Promise(
(resolve,reject)=>{let sending=new XMLHttpRequest;sending.open(method,url);for(let[name,value]of Object.entries(headers))
sending.setRequestHeader(name,value);sending.upload.onprogress=({loaded:loaded2,total})=>onSent(loaded2/total),sending.onload=
()=>resolve(new Response(sending.responseText,sending)),sending.onerror=reject,sending.send(body)});async function failure(response){
let answer2=await response.json().catch(()=>null),fallback={kind:"HttpError",message:`The server answered ${response.status} ${response.statusText}`.trim()};return new ApiError(response.status,answer2?.error?.message?answer2.error:fallback)}var TURN=Math.PI*(3-Math.sqrt(5));var MOST=2e4,keyFor=vault2=>`zkmem:map:${vault2}`,coloursKey=vault2=>`zkmem:colours:${vault2}`;function savedPositions(vault2){
let saved=JSON.parse(localStorage.getItem(keyFor(vault2))??"{}");return key=>{let position=Object.hasOwn(saved,key)?saved[key]:
null;return position?{x:position[0],y:position[1],community:position[2]}:void 0}}function savePositions(vault2,graph){if(graph.
order>MOST)return;let positions={};graph.forEachNode((key,{x,y,community=-1})=>positions[key]=[rounded(x),rounded(y),community]),
save(keyFor(vault2),positions)}var savedSlots=vault2=>JSON.parse(localStorage.getItem(coloursKey(vault2))??"{}"),saveSlots=(vault2,slots)=>save(
coloursKey(vault2),slots);function save(key,value){try{localStorage.setItem(key,JSON.stringify(value))}catch(error){if(!(error instanceof
DOMException&&error.name==="QuotaExceededError"))throw error}}function forgetPositions(vault2){localStorage.removeItem(keyFor(
vault2)),localStorage.removeItem(coloursKey(vault2))}var rounded=number=>Math.round(number*10)/10;var END={"‪":"‬","‫":"‬","‭":"‬","‮":"‬","⁦":"⁩","⁧":"⁩","⁨":"⁩"},CONTROLS=/[\u202a-\u202e\u2066-\u2069]/,
setsDirection=text=>CONTROLS.test(text);function closed(text){let open2=[],result="";for(let letter of text){let isEnd=letter===
"‬"||letter==="⁩";if(END[letter])open2.push(END[letter]);else{if(isEnd&&open2.at(-1)!==letter)continue;isEnd&&open2.
pop()}result+=letter}return result+open2.reverse().join("")}var isolated=name=>setsDirection(name)?`⁨${closed(name)}⁩`:
name,directionless=text=>setsDirection(text)?text.replace(new RegExp(CONTROLS,"g"),""):text,previous=v.vnode;v.vnode=vnode=>{
let node=vnode;node.type===null&&typeof node.props=="string"&&setsDirection(node.props)&&(node.type="bdi",node.props={textContent:closed(
node.props)}),previous?.(vnode)};var MARKS=/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/gu,OUTSIDE=":is(.expansion, .embed)",headingKey=text=>text.replace(MARKS,
" ").trim().toLowerCase();function placeOf(body,subpath){if(subpath.startsWith("#^"))return blockOf(body,subpath.slice(2).
trim().toLowerCase());let found=[...body.querySelectorAll("[data-heading]")].filter(heading=>!heading.closest(OUTSIDE)).
map(element=>({level:Number(element.tagName[1]),key:element.getAttribute("data-heading"),element}));return headingAt(found,
subpath)?.element??null}function headingAt(headings,subpath){let wanted=subpath.split("#").map(headingKey).filter(Boolean),
step=0,level=0;for(let heading of headings)if(!(heading.level<=level||heading.key!==wanted[step])&&(level=heading.level,
step+=1,step===wanted.length))return heading;return null}function blockOf(body,id){let block=[...body.querySelectorAll(`[data-block="${CSS.escape(id)}"]`)].find(one=>!one.closest(OUTSIDE))?.closest("p, li, td, th, h1, h2, h3, h4, h5, h6");return block?.
matches(".lone")?block.previousElementSibling??block:block??null}function show(element){for(let at2=element.closest("details");at2;at2=at2.parentElement?.closest("details")??null)at2.open=!0;element.scrollIntoView({block:"start"}),element.classList.
add("reached"),setTimeout(()=>element.classList.remove("reached"),2e3)}var STORED=`zkmem.scrolled:${FOLDER}`,PATIENCE_MS=5e3,
MOST_WORDS=200;function stored(){try{return JSON.parse(sessionStorage.getItem(STORED)??"{}")}catch{return{}}}var views=new Map(
Object.entries(stored()).map(([position,view])=>[Number(position),view])),shown=-1,returning=-1,panel=()=>document.getElementById(
"panel");function rememberPlace(){let{hash,position}=address.peek();views.set(position,{hash,top:panel()?.scrollTop??0,focus:focused()})}
function forgetPlaces(from){for(let position of views.keys())position>=from&&views.delete(position)}function focused(){let element=panel()?.
contains(document.activeElement)?document.activeElement:null;if(!element?.matches(FOCUSABLE))return null;let what=whatIs(
element);return{what,at:likeIt(what).indexOf(element)}}var FOCUSABLE="a, button, summary, input",likeIt=what=>[...panel()?.
querySelectorAll(FOCUSABLE)??[]].filter(one=>whatIs(one)===what);function whatIs(element){let name=element.getAttribute(
"href")??element.getAttribute("aria-label")??element.textContent??"";return`${element.localName} ${name.slice(0,MOST_WORDS)}`}
function arrive(body,subpath){let{position}=address.peek();if(shown===position)return!0;let left=leftHere();if(left)return comeBack(
position,left);let place=subpath?placeOf(body,subpath):null;return subpath&&!place?!1:(shown=position,place?show(place):
scrollTo(0),!0)}function arriveAtView(){let{position}=address.peek();if(shown===position)return;let left=leftHere();left?
comeBack(position,left):scrollTo(0)}function leftHere(){let{hash,position}=address.peek(),left=views.get(position);return left?.
hash===hash?left:null}function scrollTo(top){let box=panel();return box?.scrollTo({top,behavior:"instant"}),!!box&&Math.
abs((box?.scrollTop??0)-top)<2}function focusOn({what,at:at2}){let element=likeIt(what)[at2];return element instanceof HTMLElement&&
!isTyping()&&element.focus({preventScroll:!0}),!!element}function comeBack(position,{top,focus}){let isFocused=()=>!focus||
focusOn(focus),isThere=scrollTo(top);if(isFocused()&&isThere)return shown=position,!0;if(returning===position)return isThere;
returning=position;let stop=new AbortController,end=()=>{address.peek().position===position&&(shown=position),returning=
-1,stop.abort()},grown=new ResizeObserver(()=>{let isScrolled=scrollTo(top);isFocused()&&isScrolled&&end()});for(let part of panel()?.
children??[])grown.observe(part);stop.signal.addEventListener("abort",()=>grown.disconnect());for(let kind of["wheel","keydown","pointerdown","hashchange"])addEventListener(kind,end,{signal:stop.signal,passive:!0});let timer=setTimeout(end,
PATIENCE_MS);return stop.signal.addEventListener("abort",()=>clearTimeout(timer)),isThere}addEventListener("pagehide",()=>{
rememberPlace();try{sessionStorage.setItem(STORED,JSON.stringify(Object.fromEntries(views)))}catch{}});function noteHash(name,subpath="",{at:at2="",named:named2=""}={}){let more=[at2&&`${named2||"at"}=${encodeURIComponent(at2)}`,
encodeURIComponent(subpath)].filter(Boolean).join("&");return`#/note/${encodeName(name)}${more&&`?${more}`}`}var linkHash=(name,subpath="")=>noteHash(
name,subpath,{at:route.value.at,named:"then"}),placeHash=subpath=>noteHash(route.value.name??"",subpath,route.value),tagHash=tag2=>`#/tag/${encodeURIComponent(tag2)}`,searchHash=query2=>`#/search/${encodeURIComponent(query2)}`;function reviewHash(filter={}){
let query2=new URLSearchParams(Object.entries(filter).filter(([,value])=>value)).toString();return`#/review${query2&&`?${query2}`}`}
var replayHash=which=>`#/map?replay=${encodeURIComponent(which)}`,historyHash=name=>`#/history/${encodeName(name)}`,editHash=number=>`#/edit/${number}`,baseHash=(path2,view="")=>`#/base/${encodeName(path2)}${view?`?${encodeURIComponent(view)}`:""}`,open=name=>go(
noteHash(name));function go(hash){tab2.value="panel",location.hash=hash}var tabOf=({view})=>view==="map"?"graph":"panel";
function closeMap(){route.peek().view!=="map"?tab2.value="panel":address.peek().position>0?history.back():go("#/")}function endReplay(){
let{view,list:list2}=route.peek(),isReplay=view==="map"&&list2!==null;return isReplay&&correctAddress("#/map"),isReplay}
function correctAddress(hash){history.replaceState(history.state,"",hash),rememberAddress(),route.value=parse(hash)}function parse(hash){
let[start2="",...rest]=hash.replace(/^#\/?/,"").split("/"),[view,filter=""]=start2.split("?"),[path2,more=""]=rest.join(
"/").split("?");if(view==="base")return{...HOME,view,name:decoded(path2),list:decoded(more)};if(view==="note"&&path2)return{
...HOME,view,name:decoded(path2),...placeIn(more)};let value=decoded(rest.join("/"));return(view==="list"||view==="tag")&&
value?{...HOME,view,list:value}:view==="search"?{...HOME,view,list:value}:view==="review"?{...HOME,view,list:filter}:view===
"map"?{...HOME,view,list:new URLSearchParams(filter).get("replay")}:view==="tidy"?{...HOME,view}:view==="edit"&&/^\d+$/.
test(value)?{...HOME,view:"history",list:value}:view==="history"?{...HOME,view,name:value||null}:HOME}var HOME={view:"",
name:null,list:null,subpath:"",at:"",named:""};function placeIn(more){let[,key,at2="",subpath=more]=/^(at|then)=([^&]*)&?(.*)$/s.
exec(more)??[];return{at:decoded(at2),named:key==="then"?key:"",subpath:decoded(subpath)}}function decoded(text){try{return decodeURIComponent(
text)}catch{return text}}var positionNow=()=>history.state?.place??address.peek().position+1;function rememberAddress(position=positionNow()){
address.value={hash:location.hash,position},history.replaceState({place:position},"")}async function showAddress(){if(location.
hash===address.peek().hash)return;let next=parse(location.hash),{view,name,at:at2}=route.peek(),isInside=view==="note"&&
next.view===view&&next.name===name&&next.at===at2;if(!isInside&&confirmLeave.value&&!await confirmLeave.value()){let{hash,
position}=address.peek();location.hash!==hash&&history.go(position-positionNow());return}rememberPlace(),history.state?.
place===void 0&&forgetPlaces(positionNow()),rememberAddress(),le(()=>{isInside||(confirmLeave.value=null),route.value=next,
tab2.value=tabOf(next)})}rememberAddress(history.state?.place??0);route.value=parse(location.hash);tab2.value=tabOf(route.
value);addEventListener("hashchange",showAddress);addEventListener("beforeunload",event=>{confirmLeave.value&&event.preventDefault()});
async function openVault(name){return confirmLeave.value&&!await confirmLeave.value()?!1:(confirmLeave.value=null,location.
href=addressOf(name),!0)}var NUMBERED=/(?<!(?:no|proposed) )(\bedit \d{1,9}\b|\b(?:change|undo|redo) \d{1,9}(?= \())/i,BRACKETED=/\[\[([^[\]]+)\]\]/;
function partsOf(sentence,names=[]){let longestFirst=names.toSorted((one,other)=>other.length-one.length).map(name=>name.
replace(/[.*+?^${}()|[\]\\]/g,"\\$&")),named2=longestFirst.length?new RegExp(`(?<=[:,] )(${longestFirst.join("|")})(?=, |\\.(?: |$)| and )`):BRACKETED;return directionless(sentence).split(NUMBERED).flatMap((text,at2)=>at2%2?[{text,href:editHash(
text.replace(/\D/g,""))}]:text.split(named2).map((part,place)=>place%2?{text:part,href:noteHash(part)}:{text:part})).filter(
({text})=>text)}var Sentence=({text,names})=>partsOf(text,names).map((part,at2)=>part.href?nn`<a key=${at2} href=${part.
href}>${part.text}</a>`:part.text);var format=new Intl.NumberFormat("en",{maximumFractionDigits:2}),formatNumber=value=>format.format(value),numberOf=(count,what,many=`${what}s`)=>`${formatNumber(count)} ${count===1?what:many}`;var QUIET=150,LONGEST=1e3;function useLoad(load4,keys2,first){let[state,setState]=ot({data:first}),[turn,next]=rt(count=>count+
1,0);return ut(()=>{let stop=new AbortController,current=()=>!stop.signal.aborted;return load4(stop.signal).then(data=>current()&&
setState({data}),error=>current()&&setState(old=>({data:old.data,error}))),()=>stop.abort()},[...keys2,turn]),{...state,
again:()=>next(void 0)}}function useChanges(react){let latest=ft(react);latest.current=react;let seen=ft(changed.peek().
at).current,missed=ft(missedChanges.peek()).current;ut(()=>{let collected=collector(names=>latest.current(names)),stop=changed.
subscribe(({names,at:at2})=>{at2>0&&at2!==seen&&collected.add(names)}),stopToo=missedChanges.subscribe(count=>{count!==missed&&
collected.add(null)});return()=>{stop(),stopToo(),collected.stop()}},[])}function collector(act){let names=new Set,first=null,
timer=0,pass=()=>{let collected=names&&[...names];names=new Set,first=null,act(collected)};return{add(more){names=names&&
more&&new Set([...names,...more]),first??=performance.now(),clearTimeout(timer),timer=setTimeout(pass,Math.min(QUIET,first+
LONGEST-performance.now()))},stop:()=>clearTimeout(timer)}}var namesIn=error=>error instanceof ApiError?error.data.names:
void 0;function ErrorMessage({error,again}){return error?nn`<div class="trouble" role="alert">
    <p><${Sentence} text=${error.message} names=${namesIn(error)} /></p>
    ${again&&nn`<button type="button" onClick=${again}>Try again</button>`}
  </div>`:null}var script=loading=>loading.catch(()=>{throw new Error("A part of the page could not be loaded. If zkmem has been updated, reload the page.")}),Waiting=({what=""})=>nn`<p class="quiet waiting" role="status">${what?`Reading ${what}…`:"Loading…"}</p>`;function moveInList(event){let step=STEPS[event.key],rows=[...event.currentTarget.querySelectorAll(
"[data-row]")],at2=rows.indexOf(event.target);if(!step||at2<0)return;event.preventDefault();let next=rows[Math.max(0,Math.
min(rows.length-1,at2+step))];next instanceof HTMLElement&&next.focus()}var STEPS={ArrowDown:1,ArrowUp:-1,Home:-1/0,End:1/0};var KINDS={"+":"added","-":"removed","@":"place"},MOST2=400;function Diff({text,label}){let all=text.replace(/\n$/,"").split(
`
`).filter(line=>!/^(---|\+\+\+) /.test(line));return nn`<${Lines} lines=${all} label=${label} />`}var PLACE=/^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@.*/,
shownLine=line=>line.replace(PLACE,(_2,number)=>`Line ${Math.max(1,Number(number))}`);function Lines({lines,label}){let shown2=lines.
slice(0,MOST2);return nn`<pre class="diff" tabindex="0" role="group" aria-label=${label}>${shown2.map((line,index)=>nn`<span key=${index} class=${KINDS[line[0]]??
"same"}>${shownLine(line)||" "}${`
`}</span>`)}</pre>
    ${lines.length>MOST2&&nn`<p class="quiet">and ${numberOf(lines.length-MOST2,"more line")}</p>`}`}function Changes({changes}){
return nn`<ul class="changes" aria-label="Files that change">
    ${changes.map(({path:path2,to,diff})=>nn`<li key=${path2}>
        <details open=${changes.length<=3}>
          <summary><span class="path">${path2}</span>${to&&nn` <span class="moved">→ ${to}</span>`}</summary>
          ${diff?nn`<${Diff} text=${diff} label=${`Changes in ${path2}`} />`:nn`<p class="quiet">its text stays the same</p>`}
        </details>
      </li>`)}
  </ul>`}var QUIET2=250;function usePreview(path2,edit){let[state,setState]=ot({}),key=JSON.stringify(edit);return ut(()=>{if(!edit)
return setState({});setState({waiting:!0});let current=!0,timer=setTimeout(()=>{api.preview(path2,edit).then(plan=>current&&
setState({plan}),error=>current&&setState({error}))},QUIET2);return()=>{current=!1,clearTimeout(timer)}},[key]),state}function Preview({
state:{plan,error,waiting},summary,children}){return nn`<div class="preview" aria-live="polite">
    ${error&&nn`<p class="trouble"><${Sentence} text=${error.message} /></p>`} ${waiting&&nn`<p class="quiet">Computing what would change…</p><${TokenWanted} />`}
    ${plan&&nn`<p>${summary(plan)} ${filesOf(plan.changes)} would change:</p>
        ${plan.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}
        ${children||nn`<${Changes} changes=${plan.changes} />`}`}
  </div>`}function filesOf(changes){let notes=changes.filter(({path:path2})=>/\.md$/i.test(path2)).length;return[notes&&
numberOf(notes,"note"),notes<changes.length&&numberOf(changes.length-notes,"file")].filter(Boolean).join(" and ")||numberOf(
0,"note")}function useAction(action){let[state,setState]=ot({busy:!1,error:null});return{...state,act:async(event=void 0)=>{
if(event?.preventDefault(),!state.busy){setState({busy:!0,error:null});try{await action(),setState({busy:!1,error:null})}catch(error){
setState({busy:!1,error:asError(error)})}}}}}var asError=error=>error instanceof Error?error:new Error(String(error));var useElement=_class=>ft(null);function useModal(shown2){let dialog=useElement(HTMLDialogElement);return ut(()=>{if(shown2&&!dialog.current.open){dialog.
current.showModal();let first=dialog.current.querySelector("[data-first]");first instanceof HTMLElement&&first.focus({preventScroll:!0}),
dialog.current.scrollTop=0}!shown2&&dialog.current.open&&dialog.current.close()},[shown2]),dialog}var GIVEN_UP={kind:"NoToken",message:"You are not signed in."},signedIn=()=>token()!==null,nameOfVault=()=>vault.value?.
name??`${location.host}${location.pathname}`.replace(/\/(index\.html)?$/,"");async function signOut(){confirmLeave.value&&
!await confirmLeave.value()||(confirmLeave.value=null,await endSignIn(),leave())}function leave(){confirmLeave.value=null,
vault.value&&forgetPositions(vault.value.name),location.reload()}onSignedOut(leave);function signIn(){let question={refused:!1,
shown:!0,...Promise.withResolvers()};question.promise.catch(()=>{}),tokenQuestion.value=question}function settle(end){let question=tokenQuestion.
value;tokenQuestion.value=null,question&&end(question)}function accept(){let isBegun2=vault.value!==null||!isSignInNeeded.
value;isSignInNeeded.value=!1,settle(({resolve})=>resolve()),isBegun2||location.reload()}onSignedIn(accept);function SignIn(){
let dialog=useModal(!!tokenQuestion.value?.shown),input=useElement(HTMLInputElement),user=useElement(HTMLInputElement),[
remember,setRemember]=ot(!1),[byPassword,setByPassword]=ot(HAS_PASSWORDS),take=secret=>{tokenQuestion.peek()&&(setToken(
secret,remember),input.current.value="",accept())},{act,busy,error}=useAction(async()=>{let text=input.current.value;if(!text.
trim()||!tokenQuestion.peek())return;let person={user:user?.current?.value.trim()??"",password:text,remember:String(remember)},
secret=byPassword?await tokenFor(person):text.trim();if(byPassword||await isAccepted(secret))return take(secret);let now2=tokenQuestion.
peek();now2&&(tokenQuestion.value={...now2,refused:!0},input.current.select())}),giveUp=()=>{isSignInNeeded.value=!0,settle(
({reject})=>reject(new ApiError(401,GIVEN_UP)))};return nn`<dialog ref=${dialog} aria-labelledby="sign-in-title" onCancel=${giveUp}>
    <form onSubmit=${act}>
      <h2 id="sign-in-title">Sign in to <em>${nameOfVault()}</em></h2>
      <p>Enter your ${byPassword?"name and your password":"token"}. The person who runs the server makes
        ${byPassword?" them":" one"} with <code>zkmem ${byPassword?"user":"token"} add NAME</code>.</p>
      <${ErrorMessage} error=${error} />
      ${!error&&tokenQuestion.value?.refused&&nn`<p class="refused" role="alert">${byPassword?"Your sign-in has ended.":
"The token was refused. Enter another one."}</p>`}
      ${byPassword&&nn`<label key="name">Name <input ref=${user} autocomplete="username" autocapitalize="none" spellcheck=${!1}
          required /></label>`}
      <label key="secret">${byPassword?"Password":"Token"} <input ref=${input} type="password"
        autocomplete=${byPassword?"current-password":"off"} spellcheck=${!1} required /></label>
      <label key="remember" class="check remember"><input type="checkbox" checked=${remember}
        onChange=${()=>setRemember(!remember)} /> Remember on this device</label>
      <p class="quiet">${remember?"Until you sign out, anybody who uses this browser can open the vault.":`Otherwise ${byPassword?
"you are signed in":"the token is kept"} until you close this tab.`}</p>
      ${HAS_PASSWORDS&&nn`<p><button type="button" class="plain" onClick=${()=>setByPassword(!byPassword)}>${byPassword?
"Use a token":"Use a name and a password"}</button></p>`}
      ${HAS_PASSKEYS&&nn`<${PasskeyButton} remember=${remember} take=${take} />`}
      <div class="actions">
        <button type="button" class="plain" onClick=${giveUp}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy}>Sign in</button>
      </div>
    </form>
  </dialog>`}function PasskeyButton({remember,take}){let{act,busy,error}=useAction(async()=>take(await tokenForPasskey(remember)));
return nn`<${ErrorMessage} error=${error} />
    <p><button type="button" class="plain" disabled=${busy} onClick=${act}>Sign in with a passkey</button></p>`}function SignInAgain(){
return!isSignInNeeded.value||vault.value||tokenQuestion.value?.shown?null:nn`<section class="sign-in-again" aria-label="Signed out">
    <img src=${fileOf("icon.svg")} alt="" width="44" height="44" />
    <p>You are not signed in.</p>
    <button type="button" class="primary" onClick=${signIn}>Sign in to <em>${nameOfVault()}</em></button>
  </section>`}function TokenWanted(){let question=tokenQuestion.value;return question?.shown||!(question||isSignInNeeded.
value&&vault.value)?null:nn`<div class="toast error" role="alert">
    <span>${question?"The server needs a token.":"You are not signed in."}</span>
    <button type="button" class="plain" onClick=${()=>{question?tokenQuestion.value={...question,shown:!0}:signIn()}}>Sign in to <em>${nameOfVault()}</em>…</button>
  </div>`}var narrow=matchMedia("(max-width: 719px)"),loaded;async function load(){return[loaded]=await script(Promise.all([import("./graph.js"),
import("./vendor/graph.js")])),loaded}function toggleMap(){if(tab2.peek()==="graph")return closeMap();tab2.value="graph",
loaded?.showAll()}function focusInGraph(name){tab2.value="graph",noteToShow.value=name,loaded?.showWanted()}function MapView(){
let{view,at:at2}=route.value,wanted=ft(!1);return wanted.current||=tab2.value==="graph"||view==="note"&&!at2&&!narrow.matches,
wanted.current?nn`<${Loaded} />`:null}function Loaded(){let{data,error,again}=useLoad(load,[],loaded);return data?nn`<${data.
GraphView} />`:error?nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`}var isPartOfWord=letter=>/[\p{L}\p{M}\p{N}]/u.test(letter);function placeIn2(text,query2){let[whole,wanted]=[text.toLowerCase(),
query2.toLowerCase()],first=whole.indexOf(wanted);for(let at2=first;at2>=0;at2=whole.indexOf(wanted,at2+1))if(at2===0||!isPartOfWord(
whole[at2-1]))return at2;return first}function fit(text,query2){let at2=placeIn2(text,query2);return at2<0?4:at2===0?text.
length===query2.length?0:1:isPartOfWord(text[at2-1])?3:2}var FILE=/\.(?:png|jpe?g|gif|webp|avif|bmp|svg|pdf|mp3|wav|m4a|ogg|flac|3gp|mp4|webm|ogv|mov|mkv)$/i,
isFile=name=>FILE.test(name);function parted(name){let cut=name.lastIndexOf("/")+1;return{folders:name.slice(0,cut),last:name.
slice(cut)}}function ranked(names,query2){let last=name=>parted(name).last;return names.toSorted((a,b2)=>fit(last(a),query2)-
fit(last(b2),query2)||last(a).length-last(b2).length)}var SHOWN_MS=6e3,OFFERED_MS=2e4;function toast(message,kind="info",offer){let id=toastCount.value+=1;toasts.value=[...toasts.
value.slice(-3),{id,message,kind,offer}],kind!=="error"&&setTimeout(()=>dismiss(id),offer?OFFERED_MS:SHOWN_MS)}function showError(error){
if(!(error instanceof ApiError))throw error;error.kind!=="NoToken"&&toast(error.message,"error")}var dismiss=id=>{toasts.
value=toasts.value.filter(one=>one.id!==id)};var NAMES=8,HITS=12,PAUSE_MS=120;function SearchBox(){let[query2,setQuery]=ot(""),results=useResults(query2),[chosen,setChosen]=ot(
{results,at:-1}),active=chosen.results===results?chosen.at:-1,setActive=at2=>setChosen({results,at:at2}),[shown2,setShown]=ot(
!1),input=useElement(HTMLInputElement),texts=results.names.length,links=texts+results.hits.length,rest=links+results.linked.
length,all={name:"All results",href:searchHash(query2.trim())},options=[...results.names.map(named),...results.hits,...results.
linked.map(named),all],expanded=shown2&&results.query!==null;ut(()=>document.getElementById(`found-${active}`)?.scrollIntoView(
{block:"nearest"}),[active]);let choose=option=>{setShown(!1),setQuery(""),input.current.blur(),go(option.href??noteHash(
option.name))},onKeyDown=event=>{let last=options.length-1,keys2={ArrowDown:()=>(setShown(!0),setActive(active>=last?0:active+
1)),ArrowUp:()=>(setShown(!0),setActive(active<=0?last:active-1)),Enter:()=>results.query!==null&&results.query===query2.
trim()&&choose(options[Math.max(active,0)]),Escape:()=>expanded?setShown(!1):setQuery("")};!keys2[event.key]||event.isComposing||
(event.preventDefault(),event.stopPropagation(),keys2[event.key]())},group=(title,first,list2)=>list2.length>0&&nn`<div role="group" aria-label=${title}>
    <div class="found-title" aria-hidden="true">${title}</div>
    ${list2.map((option,at2)=>nn`<${Option} key=${option.name} id=${`found-${first+at2}`} option=${option}
      selected=${first+at2===active} choose=${()=>choose(option)} />`)}
  </div>`;return nn`<div class="search" role="search">
    <input ref=${input} id="search" type="search" role="combobox" placeholder="Search notes" aria-label="Search notes"
      aria-autocomplete="list" aria-expanded=${expanded} aria-controls="found" autocomplete="off" spellcheck=${!1}
      aria-activedescendant=${expanded&&active>=0?`found-${active}`:void 0} value=${query2}
      onInput=${()=>(setQuery(input.current.value),setShown(!0))} onKeyDown=${onKeyDown}
      onFocus=${()=>setShown(!0)} onBlur=${()=>setShown(!1)} />
    <kbd aria-hidden="true">/</kbd>
    <div id="found" role="listbox" aria-label="Notes found" hidden=${!expanded}
      onMouseDown=${event=>event.preventDefault()}>
      ${results.remarks.map(remark=>nn`<div role="option" aria-disabled="true" class="nothing">${remark}</div>`)}
      ${group("Names",0,options.slice(0,texts))}
      ${group("Text",texts,results.hits)}
      ${group("Linked from these",links,options.slice(links,rest))}
      ${results.query&&group("Everything",rest,[all])}
    </div>
    <span class="unseen" role="status">${expanded&&results.query?`${rest} found`:""}</span>
  </div>`}var named=name=>({name});function Option({id,option,selected,choose}){let{folders,last}=parted(option.name);return nn`<div id=${id} role="option" aria-selected=${selected} onClick=${choose}>
    <div class="found-name">${folders&&nn`<small>${folders}</small>`}${last}<${HitDate} ...${option} /></div>
    <${Passage} ...${option} />
  </div>`}var HitDate=({date,date_source:source})=>date&&nn`<time dateTime=${date}>${source==="file"&&"changed "}${date}</time>`,
Passage=({snippet,words=[]})=>snippet&&nn`<div class="found-text" dir="auto">${marked(snippet,words)}</div>`;function marked(text,words){
let plain=part=>part.normalize("NFKD").replace(/\p{M}/gu,"").toLowerCase().replaceAll("ς","σ"),wanted=new Set(words),pairs=words.
filter(word=>HAN.test(word));return text.split(pairs.length?new RegExp(`(${pairs.join("|")}|[\\p{L}\\p{M}\\p{N}]+)`,"u"):
WORD).map(part=>wanted.has(plain(part))?nn`<mark>${part}</mark>`:part)}var WORD=/([\p{L}\p{M}\p{N}]+)/u,HAN=/^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]{1,2}$/u,
NOTHING={query:null,names:[],hits:[],linked:[],remarks:[],isFull:!1};function useResults(query2){let[results,setResults]=ot(
NOTHING),wanted=query2.trim();return ut(()=>{if(!wanted)return setResults(NOTHING);let stop=new AbortController,timer=setTimeout(
()=>{find(wanted,stop.signal).then(setResults,error=>error.name==="AbortError"||showError(error))},PAUSE_MS);return()=>{
clearTimeout(timer),stop.abort()}},[wanted]),results}async function find(query2,signal,most=HITS){if(!query2)return NOTHING;
let[{names:all},{hits,linked,remarks}]=await Promise.all([api.names(query2,50,signal),api.search(query2,most,signal).catch(
error=>{if(statusOf(error)!==422)throw error;return{hits:[],linked:[],remarks:[error.message]}})]),names=ranked(all,query2).
slice(0,NAMES),isNew=name=>!names.includes(name),isFound=names.length&&!hits.length,others2={hits:hits.filter(({name})=>isNew(
name)),linked:linked.filter(isNew)};return{query:query2,names,...others2,remarks:isFound?[]:remarks,isFull:hits.length===
most}}var KEY2="zkmem:theme",ORDER=["auto","light","dark"],system=matchMedia("(prefers-color-scheme: dark)");theme.value=ORDER.
find(one=>one===localStorage.getItem(KEY2))??"auto";var nextTheme=()=>theme.value=ORDER[(ORDER.indexOf(theme.value)+1)%ORDER.
length];A(()=>{localStorage.setItem(KEY2,theme.value),apply()});system.addEventListener("change",apply);function apply(){
let dark=theme.peek()==="dark"||theme.peek()==="auto"&&system.matches;document.documentElement.dataset.theme=dark?"dark":
"light";let raised=getComputedStyle(document.documentElement).getPropertyValue("--raised");for(let bar of document.querySelectorAll(
'meta[name="theme-color"]'))bar.setAttribute("content",raised);themeChanges.value=themeChanges.peek()+1}function EntryState(){let{data,error,again}=useLoad(api.hint,[]);return useChanges(again),error?nn`<${ErrorMessage} error=${error} again=${again} />`:
data?.sentences.length?nn`<section class="tidy-state" aria-label="Where readers begin">
    ${data.sentences.map(sentence=>nn`<p key=${sentence} dir="auto">${sentence}</p>`)}
    ${data.exists&&nn`<p class="quiet"><a href=${noteHash(data.name)}>Open the note</a></p>`}
    ${vault.value?.can_write&&!vault.value.proposes&&nn`<${ProposeDraft} />`}
  </section>`:null}function ProposeDraft(){let[waits,setWaits]=ot(!1);return nn`<p><button type="button" disabled=${waits} onClick=${async()=>{
setWaits(!0);try{(await api.proposeHint()).proposed?location.hash="#/review":toast("A draft from the links would change nothing.")}catch(error){showError(error)}finally{setWaits(!1)}}}>Propose a draft</button>
    ${" "}<span class="quiet">made from the links; nothing changes before you accept it.</span></p>`}function EntryMark({
name,exists,sentences}){if(!sentences.length)return null;let note=`note ${isolated(name)}, where readers begin`,text=exists?
`The ${note}, needs tidying`:`There is no ${note}`;return nn`<p class="quiet"><a href="#/tidy">${text}</a></p>`}var SOMEBODY="somebody else",lastEdit=name=>api.log(name,1).then(({edits})=>edits[0]??null);async function authorOf(name,text){
try{let edit=await lastEdit(name),then=edit&&await api.revision(name,edit.rev);return!edit||then?.text!==text?SOMEBODY:isOwn(
edit.client)?"you in another window":clientOf(edit)}catch{return SOMEBODY}}var clientOf=({client})=>isOwn(client)?"you":
client||SOMEBODY,isOwn=client=>["page","review in a chat"].some(one=>client===[vault.value?.person??vault.value?.token,one].
filter(Boolean).join(": ")),newName=(name,{moves})=>moves.find(move=>move.from===name)?.to;async function lastTextOf(name,{
rev}){for(let one of[rev,before(rev)])try{return await api.revision(name,one)&&one}catch(error){if(!(error instanceof ApiError&&
error.kind==="NoVersion"))throw error}return null}var before=rev=>isNumber(rev)?String(Number(rev)-1):`${rev}~1`,isNumber=rev=>/^\d{1,6}$/.
test(rev);async function pastOf(name){let edit=await lastEdit(name).catch(()=>null),now2=(edit&&newName(name,edit))??null,
rev=edit&&!now2?await lastTextOf(name,edit).catch(()=>null):null;return{edit,now:now2,rev}}async function restored(name,rev){
let done=await api.restore({name,rev});return toast([`${done.name} is restored.`,...done.remarks].join(" ")),done}function Dialog({title,onClose,busy=!1,wide=!1,kind="note-dialog",children}){let dialog=useElement(HTMLDialogElement),label=Et();
Nt(()=>{let before2=document.activeElement,shown2=dialog.current;shown2.showModal();let first=shown2.querySelector("[data-first]");return first instanceof HTMLElement&&first.focus({preventScroll:!0}),shown2.scrollTop=0,()=>{shown2.close(),before2 instanceof
HTMLElement&&before2.isConnected&&before2.focus()}},[]);let cancel=event=>{event.preventDefault(),busy||onClose()},onClick=event=>{
kind==="palette"&&event.target===dialog.current&&onClose()};return nn`<dialog ref=${dialog} class=${wide?`${kind} wide`:
kind} aria-labelledby=${label}
    onCancel=${cancel} onClick=${onClick}>
    <h2 id=${label} class=${kind==="palette"?"unseen":""}>${title}</h2>
    ${children}
  </dialog>`}function Question({title,yes,no="Cancel",danger=!1,also,onAnswer,children}){return nn`<${Dialog} title=${title} onClose=${()=>onAnswer(
!1)}>
    ${children}
    <div class="actions">
      <button type="button" data-first onClick=${()=>onAnswer(!1)}>${no}</button>
      ${also}
      <button type="button" class=${danger?"danger":"primary"} onClick=${()=>onAnswer(!0)}>${yes}</button>
    </div>
  <//>`}function NameField({label,value,onInput,hint}){let[id,list2,about2]=[Et(),Et(),Et()],[names,setNames]=ot([]);return ut(()=>{
let stop=new AbortController,propose=proposals2=>stop.signal.aborted||setNames(proposals2),typed=value.trim();return typed&&
api.names(typed,20,stop.signal).then(response=>propose(response.names),()=>propose([])),()=>stop.abort()},[value]),nn`<p class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      list=${list2}
      data-first
      required
      autocomplete="off"
      spellcheck=${!1}
      aria-describedby=${hint?about2:void 0}
      value=${value}
      onInput=${event=>onInput(event.target.value)}
    />
    <datalist id=${list2}>${names.map(name=>nn`<option key=${name} value=${name}></option>`)}</datalist>
    ${hint&&nn`<span id=${about2} class="quiet">${hint}</span>`}
  </p>`}function NewNote(){let beginning=creating.value;return beginning===null?null:nn`<${Ask} key=${beginning} beginning=${beginning||
folderHere()} />`}function folderHere(){let{name}=route.peek(),folder2=parted(name??"").folders;return folder2&&canWrite(
`${folder2}x`)?folder2:vault.peek()?.folder?`${vault.peek()?.folder}/`:""}function Ask({beginning}){let[typed,setTyped]=ot(
beginning),name=typed.trim().replace(/\.md$/i,""),close=()=>creating.value=null;Nt(()=>{let field=document.activeElement;
field instanceof HTMLInputElement&&!beginning.endsWith("/")&&field.select()},[]);let mayWrite=canWrite(name),ready=!!name&&
!name.endsWith("/")&&mayWrite;return nn`<${Dialog} title="New note" onClose=${close}>
    <form onSubmit=${event=>{event.preventDefault(),ready&&(close(),createOrRestore(name))}}>
      <${NameField} label="Name, with its folders" value=${typed} onInput=${setTyped}
        hint="If a note has this name, it is opened." />
      ${name&&!mayWrite&&nn`<p class="notice warn" role="status">Your token reaches only the folder
          ${" "}<strong>${vault.value?.folder}</strong>: begin the name with ${vault.value?.folder}/.</p>`}
      <div class="actions">
        <button type="button" onClick=${close}>Cancel</button>
        <button type="submit" class="primary" disabled=${!ready}>Write it</button>
      </div>
    </form>
  <//>`}async function createOrRestore(name){await lastEdit(name).catch(()=>null)?open(name):create(name)}function create(name){
noteToEdit.value=name,open(name)}var format2=new Intl.DateTimeFormat(void 0,{dateStyle:"medium",timeStyle:"short"}),dayFormat=new Intl.DateTimeFormat(void 0,
{dateStyle:"medium"}),clockFormat=new Intl.DateTimeFormat(void 0,{timeStyle:"short"}),relative=new Intl.RelativeTimeFormat(
"en"),UNITS=[["day",86400],["hour",3600],["minute",60]],MOMENT=45,LONGEST2=30*86400,timeText=time=>format2.format(new Date(
time*1e3)),dayText=time=>dayFormat.format(new Date(time*1e3));function sinceText(time,from){let clock=clockFormat.format(
new Date(time*1e3));return dayText(time)===dayText(from)?clock:dayText(time)===dayText(from-86400)?`yesterday ${clock}`:
timeText(time)}function agoText(time,from){let seconds=Math.abs(time-from);if(seconds<MOMENT)return"just now";if(seconds>=
LONGEST2)return dayText(time);let[unit,size]=UNITS.find(([,length])=>length<=seconds)??UNITS[UNITS.length-1];return relative.
format(Math.sign(time-from)*Math.max(1,Math.floor(seconds/size)),unit)}function When({time,since=time}){let title=timeText(
since)+(time-since<60?"":` – ${timeText(time)}`),ago=agoText(time,now.value/1e3);return nn`<time datetime=${new Date(time*
1e3).toISOString()} title=${title}>${ago}</time>`}var MOST_TAGGED=1e3,PART=100,list=one=>one,LISTS={hints:list({title:"Where to start",about:"The notes with the most weight: many other notes lead to them.",key:({name})=>name,Row:({name,share,links,backlinks})=>nn`${figures(name,numberOf(links,
"link"),numberOf(backlinks,"backlink"))}
        <span class="weight" style=${{"--share":share}} aria-hidden="true"></span>`}),suggestions:list({title:"Suggestions",about:"Long notes with little weight: split them, or link to them.",key:({name})=>name,Row:({name,characters})=>figures(
name,numberOf(characters,"character"))}),missing:list({title:"Missing notes",about:"Links to notes that do not exist, by the name that they use.",key:({target})=>target,Row:Missing}),ambiguous:list({title:"Ambiguous links",about:"Links that could mean several notes.",key:findingKey,Row:Ambiguous}),conflict:list({title:"Conflicts",about:"Lines that two machines wrote differently: open the note to keep one version.",key:findingKey,Row:Finding}),check:list({title:"Other findings",
about:"Files that cannot be read, unusual names and properties, notes with the same name.",key:findingKey,Row:Finding}),
bases:list({title:"Tables",about:"The .base files of the vault: tables of notes by their properties, as in Obsidian's Bases.",key:({path:path2})=>path2,Row:({path:path2,views:views2})=>nn`<a href=${baseHash(path2)} data-row>${path2}</a> <span class="meta">${views2.
join(" · ")}</span>`})},LOADS={hints:()=>api.hints(100).then(({hints})=>withShares(hints)),bases:()=>api.bases().then(({
bases})=>bases)};function Lists({list:name}){let known=name&&name in LOADS?name:"hints",{data,error,again}=useLoad(()=>LOADS[known]().
then(rows=>({rows,total:rows.length})),[known]);return useChanges(again),nn`<${Listing} list=${known} data=${data} error=${error} again=${again} />`}
function Listing({list:name,data,error,again}){let{title,about:about2,key,Row:Row2}=LISTS[name],[count,setCount]=ot(PART),
rows=data?.rows??[],more=Math.min(PART,rows.length-count);return nn`<article class="lists">
    <h2 class="title" tabindex="-1">${title} ${data&&nn`<span class="count">${formatNumber(data.total)}</span>`}</h2>
    <p class="quiet">${about2}</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!rows.length&&nn`<p class="empty">Nothing to do here.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${title}>
      ${rows.slice(0,count).map((row,index)=>nn`<li key=${`${key(row)} ${index}`}><${Row2} ...${row} again=${again} /></li>`)}
    </ul>
    ${more>0&&nn`<button type="button" onClick=${()=>setCount(count+PART)}>Show ${more} more</button>`}
    ${data&&more<=0&&data.total>rows.length&&nn`<p class="quiet">The first ${formatNumber(rows.length)} of ${formatNumber(
data.total)} are shown.</p>`}
  </article>`}var figures=(name,...values)=>nn`<${Open} name=${name} /> <span class="meta">${values.join(" · ")}</span>`,
Open=({name,text=name})=>nn`<a href=${noteHash(name)} data-row>${text}</a>`;function findingKey({note,detail}){return`${note} ${detail}`}function Finding({kind,note,detail}){return nn`<${Open} name=${note} /> <span class="tag">${kind}</span> <span class="meta">${detail}</span>`}
function Missing({target,notes,choices,asks,again}){let own=notes.filter(canWrite),{data:past}=useLoad(async()=>asks?pastOf(
target):null,[target,asks]),{edit,now:now2,rev}=past??{},{act,busy,error}=useAction(async()=>{await restored(target,rev??
""),again()});return nn`<span class="missing"><${Open} name=${target} /></span>
    <span class="meta">linked from ${notes.map((note,index)=>nn`${index>0&&", "}<a key=${note} href=${noteHash(note)}>${note}</a>`)}</span>
    ${now2&&nn`<span class="meta">It is called <a href=${noteHash(now2)}>${now2}</a> now.</span>`}
    ${edit&&!now2&&nn`<span class="meta">Last edit, by ${clientOf(edit)} <${When} time=${edit.time} />: ${edit.title}</span>`}
    <div class="mends">
      ${rev&&canWrite(target)&&nn`<button type="button" class="primary" onClick=${act} disabled=${busy}>
          Restore<span class="unseen">${` ${target}`}</span></button>`}
      <${ErrorMessage} error=${error} />
      ${canWrite(target)&&nn`<button type="button" onClick=${()=>create(target)}>
          Create<span class="unseen">${` ${target}`}</span></button>`}
      ${own.length>0&&choices.map(to=>nn`<span class="meta">Did you mean <a href=${noteHash(to)}>${to}</a>?</span>
            <${Repoint} key=${to} names=${own} target=${target} to=${to} again=${again}>${`Link to ${to}`}<//>`)}
    </div>`}function Ambiguous({note,target,choices,again}){return nn`<${Open} name=${note} /> <span class="meta">The link <b>${target}</b> means ${choices[0]} now. Let it
    always mean:</span>
    <div class="mends">
      ${canWrite(note)&&choices.map(to=>nn`<${Repoint} key=${to} names=${[note]} target=${target} to=${to}
        again=${again}>${to}<//>`)}
    </div>`}function Repoint({names,target,to,again,children}){let{act,busy,error}=useAction(async()=>{let{changed:changed2,
remarks}=await api.repoint({names,target,to});toast([`The link leads to ${to} now, in ${numberOf(changed2.length,"note")}.`,...remarks].join(" ")),again()});return nn`<button type="button" onClick=${act} disabled=${busy}>${children}</button><${ErrorMessage}
    error=${error} />`}function withShares(hints){let most=Math.max(...hints.map(({weight})=>weight));return hints.map(hint=>({
...hint,share:hint.weight/most}))}function Tag({tag:tag2}){let{data,error,again}=useLoad(()=>api.search(`tag:"${tag2.replaceAll(
'"',"")}"`,MOST_TAGGED,new AbortController().signal),[tag2]);useChanges(again);let hits=[...data?.hits??[]].sort((one,other)=>one.
name.localeCompare(other.name));return nn`<article class="lists">
    <h2 class="title" tabindex="-1">#${tag2} ${data&&nn`<span class="count">${hits.length}</span>`}</h2>
    <p class="quiet">The notes with this tag, or with one nested in it.</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!hits.length&&nn`<p class="empty">No note has this tag.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${`Notes with the tag ${tag2}`}>
      ${hits.map(({name})=>nn`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
    </ul>
    ${hits.length===MOST_TAGGED&&nn`<p class="quiet">At most ${MOST_TAGGED} are shown.</p>`}
  </article>`}var MOST3=1e3,MOST_ASKED=20,KINDS2={missing:"missing",ambiguous:"ambiguous",conflict:"conflict",check:"other",suggestions:"suggestions"};function Tidy({list:list2}){let[first,setFirst]=ot(void 0),{data=first,error,again}=useLoad(async()=>(data||
setFirst(await load2(list2,"index")),load2(list2,"notes")),[list2]);if(useChanges(again),!data)return error?nn`<${ErrorMessage} error=${error} again=${again} />`:
nn`<${Waiting} what="the findings" />`;let shown2=list2??data.list,waits=!data.complete&&!error,isShown=shown2===data.list&&
(data.rows.length>0||!waits),kinds=Object.entries(KINDS2).filter(([key,counts])=>data.counts[counts]>0||key===shown2);return nn`<nav class="kinds" aria-label="What to tidy">
      ${kinds.map(([key,counts])=>nn`<a key=${key} href=${`#/list/${key}`}
          aria-current=${key===shown2?"page":void 0}
          >${LISTS[key].title}${" "}<span class="count">${formatNumber(data.counts[counts])}</span></a>`)}
    </nav>
    <${EntryState} />
    <${Synchronisation} />
    ${waits&&isShown&&nn`<${Waiting} what="the notes, which may have more to tidy" />`}
    <${Listing} key=${shown2} list=${shown2} data=${isShown?data:void 0} error=${error}
      again=${again} />`}async function load2(list2,look){let{findings,kind,counts,complete}=await api.findings(kindOf(list2),
MOST3,look),shown2=list2??firstOf(counts),total=counts[KINDS2[shown2]],about2={list:shown2,total,counts,complete};return shown2===
"suggestions"?{...about2,rows:(await api.suggestions(100)).suggestions}:{...about2,rows:kind==="missing"?withPast(byTarget(
findings)):findings}}var kindOf=list2=>list2===null||list2==="suggestions"?"first":KINDS2[list2],firstOf=counts=>Object.
keys(KINDS2).find(key=>counts[KINDS2[key]]>0)??"missing",withPast=rows=>rows.map((row,at2)=>({...row,asks:at2<MOST_ASKED}));
function byTarget(findings){let targets=new Map;for(let{note,target,choices}of findings){let key=target.normalize().toLowerCase(),
row=targets.get(key)??{target,notes:[],choices};row.notes.includes(note)||row.notes.push(note),targets.set(key,row)}return[
...targets.values()].sort((a,b2)=>b2.notes.length-a.notes.length||a.target.localeCompare(b2.target))}function Synchronisation(){
let{data,error,again}=useLoad(api.sync,[]);return useChanges(again),error?nn`<${ErrorMessage} error=${error} again=${again} />`:
data?.last&&nn`<${State} ...${data.last} />`}function State({time,succeeded,remote,ahead,behind,offline,trouble}){let waits=[
ahead&&`${numberOf(ahead,"commit")} to push`,behind&&`${numberOf(behind,"commit")} to fetch`];return nn`<section class="tidy-state" aria-label="Synchronisation">
    <p>${succeeded?nn`Last synchronised with ${remote}: <${When} time=${succeeded} />.`:`Not synchronised with ${remote} yet.`}${" "}${waits.filter(Boolean).join(", ")||"Nothing waits"}.</p>
    ${offline&&nn`<p>Offline; last tried <${When} time=${time} />: ${offline}.</p>`}
    ${trouble&&nn`<p role="alert">The last attempt failed, <${When} time=${time} />: ${trouble}.</p>`}
  </section>`}var O=class extends Error{constructor(i,o){super(i),this.name="ParseError",this.type=o.type,this.field=o.field,this.value=
o.value,this.line=o.line}},$=10,L2=13,E2=32,_=6;function G2(d){if(typeof d=="function")throw new TypeError("`config` must be an object, got a function instead. Did you mean `createParser({onEvent: fn})`?");let{maxBufferSize:i,onComment:o,onError:C,
onEvent:u,onId:A2,onRetry:h}=d,c=[],v2=0,y="",l,s="",a=0,x,I2=!1,p=!1,g=!1;function H2(e){if(I2)throw new Error("Cannot feed parser: it was terminated after exceeding the configured max buffer size. Call `reset()` to resume parsing.");if(y!==
void 0){if(e=y+e,e===""||e==="ï"||e==="ï»"){y=e;return}y=void 0,e=e.replace(/^(?:\uFEFF|\xEF\xBB\xBF)/,"")}if((p||g)&&
(e=M2(e),!e))return;if(!c.length){let r=z2(e);r!==""&&T(r),F2();return}if(e.indexOf(`
`)===-1&&e.indexOf("\r")===-1){if(v2<_){let r=c.join("")+e.slice(0,_-v2);if(!j(r)){c.length=0,v2=0,p=!0;return}}c.push(e),
v2+=e.length,F2();return}c.push(e);let t=c.join("");c.length=0,v2=0,T(z2(t)),F2()}function M2(e){if(e.length===0)return e;
if(g)return g=!1,e.charCodeAt(0)===$?e.slice(1):e;let t=e.indexOf("\r"),r=e.indexOf(`
`),f=t===-1?r:r===-1||t<r?t:r;return f===-1?"":f===e.length-1&&e.charCodeAt(f)===L2?(p=!1,g=!0,""):(p=!1,e.slice(f+(e.charCodeAt(
f)===L2&&e.charCodeAt(f+1)===$?2:1)))}function T(e){if(e){if(e.charCodeAt(e.length-1)===L2){if(P(e,0,e.length-1),F2())return;
g=!0;return}if(j(e)){c.push(e),v2=e.length;return}p=!0}}function j(e){let t=e.charCodeAt(0);return t===58&&!!o||t===100&&
B2(e,"data")||t===101&&B2(e,"event")||t===105&&B2(e,"id")||t===114&&B2(e,"retry")}function F2(){return I2?!0:i===void 0||
v2+s.length<=i?!1:(I2=!0,c.length=0,v2=0,l=void 0,s="",a=0,x=void 0,p=!1,g=!1,C?.(new O(`Buffered data exceeded max buffer size of ${i} characters`,{type:"max-buffer-size-exceeded"})),!0)}function z2(e){let t=0;if(e.indexOf("\r")===-1){let n=e.
indexOf(`
`,t);for(;n!==-1;){if(t===n){l!==void 0&&A2?.(l),a>0&&u?.({id:l,event:x,data:s}),l=void 0,s="",a=0,x=void 0,t=n+1,n=e.indexOf(
`
`,t);continue}let m2=e.charCodeAt(t);if(N2(e,t,m2)){let S2=e.charCodeAt(t+5)===E2?t+6:t+5,b2=e.slice(S2,n);if(a===0&&e.charCodeAt(
n+1)===$){l!==void 0&&A2?.(l),u?.({id:l,event:x,data:b2}),l=void 0,s="",x=void 0,t=n+2,n=e.indexOf(`
`,t);continue}s=a===0?b2:`${s}
${b2}`,a++}else X(e,t,m2)?x=e.slice(e.charCodeAt(t+6)===E2?t+7:t+6,n)||void 0:P(e,t,n);if(F2())return"";t=n+1,n=e.indexOf(
`
`,t)}return e.slice(t)}let r=e.indexOf("\r",t),f=e.indexOf(`
`,t);for(;t<e.length;){let n=-1;if(r!==-1&&f!==-1?n=r<f?r:f:r!==-1?r===e.length-1?n=-1:n=r:f!==-1&&(n=f),n===-1)break;if(P(
e,t,n),F2())return"";t=n+1,e.charCodeAt(t-1)===L2&&e.charCodeAt(t)===$&&t++,r!==-1&&r<t&&(r=e.indexOf("\r",t)),f!==-1&&f<
t&&(f=e.indexOf(`
`,t))}return e.slice(t)}function P(e,t,r){if(t===r){U2();return}let f=e.charCodeAt(t);if(N2(e,t,f)){let w2=e.charCodeAt(
t+5)===E2?t+6:t+5,R2=e.slice(w2,r);s=a===0?R2:`${s}
${R2}`,a++;return}if(X(e,t,f)){x=e.slice(e.charCodeAt(t+6)===E2?t+7:t+6,r)||void 0;return}if(f===105&&e.charCodeAt(t+1)===
100&&e.charCodeAt(t+2)===58){let w2=e.slice(e.charCodeAt(t+3)===E2?t+4:t+3,r);w2.includes("\0")||(l=w2);return}if(f===58){
if(o){let w2=e.slice(t,r);o(w2.slice(e.charCodeAt(t+1)===E2?2:1))}return}let n=e.slice(t,r),m2=n.indexOf(":");if(m2===-1){
D2(n,"",n);return}let S2=n.slice(0,m2),b2=n.charCodeAt(m2+1)===E2?2:1,J2=n.slice(m2+b2);D2(S2,J2,n)}function D2(e,t,r){switch(e){case"event":x=t||void 0;break;case"data":s=a===0?t:`${s}
${t}`,a++;break;case"id":t.includes("\0")||(l=t);break;case"retry":/^\d+$/.test(t)?h?.(parseInt(t,10)):C?.(new O(`Invalid \`retry\` value: "${t}"`,{type:"invalid-retry",value:t,line:r}));break;default:C?.(new O(`Unknown field "${e.length>20?
`${e.slice(0,20)}…`:e}"`,{type:"unknown-field",field:e,value:t,line:r}));break}}function U2(){l!==void 0&&A2?.(l),a>0&&
u?.({id:l,event:x,data:s}),l=void 0,s="",a=0,x=void 0}function q2(e={}){if(e.consume&&c.length>0){let t=c.join("");P(t,0,
t.length)}y="",l=void 0,s="",a=0,x=void 0,c.length=0,v2=0,I2=!1,p=!1,g=!1}return{feed:H2,reset:q2}}function N2(d,i,o){return o===
100&&d.charCodeAt(i+1)===97&&d.charCodeAt(i+2)===116&&d.charCodeAt(i+3)===97&&d.charCodeAt(i+4)===58}function X(d,i,o){return o===
101&&d.charCodeAt(i+1)===118&&d.charCodeAt(i+2)===101&&d.charCodeAt(i+3)===110&&d.charCodeAt(i+4)===116&&d.charCodeAt(i+
5)===58}function B2(d,i){let o=1;for(;o<d.length&&o<i.length;){if(d.charCodeAt(o)!==i.charCodeAt(o))return!1;o++}return d.
length<=i.length||d.charCodeAt(i.length)===58}var SILENCE_MS=4e4,LONGEST_MS=3e4;async function followEvents(){let wait=1e3;for(;;){let error=await listen(version=>{wait=
1e3,(connection.peek()==="off"||version!==oldestVersion.peek())&&(missedChanges.value+=1),connection.value="live"}).catch(
failure3=>failure3);connection.value="off",statusOf(error)===401?await tokenGiven():await pause(wait*(.75+Math.random()/
2)),wait=Math.min(2*wait,LONGEST_MS)}}async function listen(hello){let stop=new AbortController,watchdog=0,alive=()=>{clearTimeout(
watchdog),watchdog=setTimeout(()=>stop.abort(),SILENCE_MS)};try{let{body}=await request("events",{headers:{Accept:"text/event-stream"},signal:stop.signal});if(!body)return;let parser=G2({onEvent({event,data}){event==="hello"&&hello(JSON.parse(
data).version),event==="changed"&&(changed.value={...JSON.parse(data),at:Date.now()}),event==="proposed"&&(proposals.value+=
1)}}),text=body.pipeThrough(new TextDecoderStream).getReader();for(alive();;alive()){let{done,value}=await text.read();if(done)
return;parser.feed(value)}}finally{clearTimeout(watchdog)}}function pause(ms){return new Promise(resolve=>{let stop=new AbortController,
end=()=>{stop.abort(),clearTimeout(timer),resolve(void 0)},timer=setTimeout(end,ms);addEventListener("online",end,{signal:stop.
signal}),document.addEventListener("visibilitychange",()=>document.hidden||end(),{signal:stop.signal})})}function throttled(work){
let waiting=null,running=!1;return async function(names){if(waiting=new Set([...waiting??[],...names??[]]),!running){for(running=
!0;waiting;){let now2=[...waiting];waiting=null;let began=performance.now();await work(now2),await new Promise(over=>setTimeout(
over,Math.max(100,3*(performance.now()-began))))}running=!1}}}async function fetchProposed(){try{vault.peek()?.proposes||(proposed.value=(await api.proposed()).change_sets)}finally{askedProposed.
value=!0}}function followProposed(){let fetch2=throttled(()=>fetchProposed().catch(()=>{}));A(()=>{let{names}=changed.value;
connection.value!=="connecting"&&proposals.value>=0&&fetch2(names)})}var waitingCount=()=>proposed.value.reduce((sum,{total})=>sum+
total,0);var THEMES={auto:["◐","like the system"],light:["☀","light"],dark:["☾","dark"]},iconAddress=document.querySelector(
'link[rel="icon"]')?.getAttribute("href")??"";function Bar(){let[sign,name]=THEMES[theme.value];return nn`<header class="bar">
    <${Brand} />
    <div class="tools">
      <span class=${`connection ${connection.value}`} role="status">${connection.value==="off"&&nn`<i aria-hidden="true"></i><span>Not connected</span>`}</span>
      ${vault.value?.can_write&&nn`<button type="button" class="new-note" onClick=${()=>creating.value=""} aria-label="New note"
          aria-keyshortcuts="n" title="New note (n)">+</button>`}
      <button type="button" onClick=${nextTheme} aria-label=${`Colours: ${name}`}
        title=${`Colours: ${name}`}>${sign}</button>
      <button type="button" onClick=${()=>helpShown.value=!0} aria-label="Help" title="Help (?)">?</button>
    </div>
    <div class="seek"><${SearchBox} /><${PaletteButton} /></div>
    ${vault.value?.token&&signedIn()&&nn`<p class="signed"><span>${vault.value.person??vault.value.token}</span>${vault.
value.person&&nn`<button type="button" class="plain" onClick=${()=>signInsShown.value=!0}>Sign-ins</button>`}<button type="button" class="plain" onClick=${signOut}>Sign out</button></p>`}
  </header>`}function Brand(){let{name="zkmem",vaults=[]}=vault.value??{},icon=nn`<img src=${iconAddress} alt=${vaults.length>
1?"Home":""} width="24" height="24" />`;return vaults.length<2?nn`<a class="brand" href="#" title="Home" onClick=${toPanel}>${icon}<h1>${name}</h1></a>`:
nn`<div class="brand">
    <a href="#" title="Home" onClick=${toPanel}>${icon}</a>
    <h1><select aria-label="Vault" title="Open another vault" value=${name} onChange=${async({currentTarget:select})=>{await openVault(
select.value)||(select.value=name)}}>
      ${vaults.map(one=>nn`<option key=${one} value=${one}>${one}</option>`)}
    </select></h1>
  </div>`}var toPanel=()=>tab2.value="panel";function Tabs(){let{view,list:list2}=route.value,isTidy=view==="tidy"||view===
"list"&&list2!==null&&list2 in KINDS2,isTree=tab2.value==="folders",link=(href,text,here,count=0)=>nn`<a href=${href} aria-current=${here&&
tab2.value==="panel"?"page":void 0} onClick=${toPanel}>
      <span>${text}</span>${count>0&&nn`<small>(${count})</small>`}
    </a>`,button=(text,here,act,kind="")=>nn`<button type="button" class=${kind} aria-pressed=${here} onClick=${act}>${text}</button>`;
return nn`<nav class="tabs" aria-label="Parts">
    ${link("#","Home",view==="")}
    ${link("#/review","Review",view==="review"||view==="history",(unseen.value??0)+waitingCount())}
    ${link("#/tidy","Tidy",isTidy)}
    ${button("Folders",isTree,()=>tab2.value=isTree?"panel":"folders","folders-tab")}
    ${button("Map",tab2.value==="graph",toggleMap)}
  </nav>`}var PaletteButton=()=>nn`<button
    type="button"
    class="to-palette"
    aria-label="Commands"
    title="Commands (Ctrl K)"
    aria-keyshortcuts="Control+K Meta+K"
    onClick=${()=>paletteShown.value=!0}
  >
    ⌘
  </button>`;function useActions(actions){let latest=ft(actions);latest.current=actions;let key=JSON.stringify(actions.map(({title})=>title));
Nt(()=>{let own=latest.current.map((action,at2)=>({...action,act:()=>latest.current[at2]?.act()}));return offered.value=
[...offered.peek(),own],()=>{offered.value=offered.peek().filter(list2=>list2!==own)}},[key])}var actionsNow=()=>offered.
value.toReversed().flat();addEventListener("keydown",event=>{if(!(event.defaultPrevented||event.altKey||document.querySelector(
"dialog[open]"))){if(event.ctrlKey||event.metaKey){if(event.shiftKey||event.key.toLowerCase()!=="k")return;paletteShown.
value=!0}else{let action=belongsToField(event)?null:actionsNow().find(({key})=>key===event.key);if(!action)return;action.
act()}event.preventDefault()}});var LISTED=Object.keys(LISTS).filter(key=>key!=="bases");function Commands(){return useActions(commands()),null}var others=()=>(vault.
value?.vaults??[]).filter(name=>name!==vault.value?.name);function commands(){let mayWrite=vault.value?.can_write;return[
...mayWrite?[{title:"New note…",key:"n",act:()=>creating.value=""}]:[],{title:"Search",hint:"/",act:()=>document.getElementById(
"search")?.focus()},{title:"Whole map",hint:"g",act:toggleMap},{title:"Home",act:()=>go("")},{title:"Review: what changed",act:()=>go("#/review")},{title:"Tidy: what to mend",act:()=>go("#/tidy")},{title:"History of all edits",act:()=>go("#/history")},...mayWrite?[{title:"Undo the last edit…",act:()=>undoing.value="undo"}]:[],...LISTED.map(key=>({title:LISTS[key].
title,act:()=>go(`#/list/${key}`)})),{title:"Change the colours: light, dark, like the system",act:nextTheme},{title:"Keys and search filters",hint:"?",act:()=>helpShown.value=!0},...others().map(name=>({title:`Open the vault ${isolated(name)}`,
act:()=>openVault(name)})),...vault.value?.person?[{title:"Your sign-ins",act:()=>signInsShown.value=!0}]:[],...signedIn()?
[{title:"Sign out",act:signOut}]:[],...vault.value?[]:[{title:"Sign in",act:signIn}]]}var TABLES="#/list/bases",MOST_OPEN=50,STEP=200,order=new Intl.Collator(void 0,{numeric:!0}).compare;function Folders(){
let[most,setMost]=ot(STEP),open2=["",...[...openFolders.value].slice(-MOST_OPEN)],{data,again}=useLoad(()=>api.tree(open2,
most),[openFolders.value,most]);useChanges(again);let hasTables=data?.has_bases??!1;useActions(hasTables?[{title:"Tables",
act:()=>go(TABLES)}]:[]);let tree={of:new Map(data?.folders.map(rows=>[rows.path,rows])),most,setMost};return nn`<nav class="folders" aria-label="Folders" onKeyDown=${moveInList}>
    <${Rows} path="" tree=${tree} />
    ${hasTables&&nn`<p class="quiet"><a href=${TABLES}>Tables</a></p>`}
  </nav>`}function Rows({path:path2,tree}){let rows=tree.of.get(path2);if(!rows)return null;let folders=[...rows.folders].
sort((one,other)=>order(one.path,other.path)),notes=[...rows.notes].sort(order),shown2=[...folders,...notes].slice(0,tree.
most),more=`Show ${numberOf(Math.min(STEP,rows.total-shown2.length),"more row")}`;return nn`<ul>
    ${shown2.map(row=>typeof row=="string"?nn`<${NoteRow} key=${`note ${row}`} name=${row} />`:nn`<${FolderRow} key=${`folder ${row.path}`} folder=${row} tree=${tree} />`)}
    ${rows.total>shown2.length&&nn`<li><button type="button" data-row onClick=${()=>tree.setMost(tree.most+STEP)}>${more}</button></li>`}
  </ul>`}function FolderRow({folder:{path:path2,notes:count},tree}){let isOpen=openFolders.value.has(path2);return nn`<li>
    <button type="button" class="folder-row" data-row aria-expanded=${isOpen} onClick=${()=>toggle(path2)}>
      <span>${parted(path2).last}</span><small aria-label=${numberOf(count,"note")}>${count}</small></button>
    ${isOpen&&nn`<${Rows} path=${path2} tree=${tree} />`}
  </li>`}function NoteRow({name}){let here=route.value.view==="note"&&route.value.name===name;return nn`<li><a href=${noteHash(
name)} data-row title=${directionless(name)}
    aria-current=${here?"page":void 0}>${parted(name).last}</a></li>`}function toggle(path2){let open2=new Set(openFolders.
peek());open2.delete(path2)||open2.add(path2),openFolders.value=open2}A(()=>{let{view,name}=route.value,path2=view==="note"&&name?name:`${vault.value?.folder??""}/`,open2=new Set(openFolders.peek());for(let end=path2.indexOf("/",1);end>0;end=
path2.indexOf("/",end+1))open2.add(path2.slice(0,end));open2.size>openFolders.peek().size&&(openFolders.value=open2)});function hueOf(client){let hash=0;for(let char of tokenOf(client))hash=Math.imul(hash,31)+(char.codePointAt(0)??0)|0;return(hash*
137%360+360)%360}var tokenOf=client=>client.split(": ",1)[0];var parts=K(null),failure2=K(null),DIALOGS=[paletteShown,undoing,signInsShown,helpShown],isDialogWanted=()=>DIALOGS.some(
({value})=>value)||creating.value!==null;function load3(){failure2.value=null,script(import("./parts.js")).
catch(error=>{if(failure2.value=error,!!L(isDialogWanted)){toast(error.message,"error");for(let shown2 of DIALOGS)shown2.
value=!1;creating.value=null}})}var loadWhenIdle=()=>(globalThis.requestIdleCallback??setTimeout)(load3);A(()=>{(isDialogWanted()||
route.value.view)&&load3()});var View=props=>nn`<${Part} name="View" props=${props} />`,Opened=props=>nn`<${Part} name="Opened" props=${props} />`,
UndoDialog=props=>nn`<${Part} name="UndoDialog" props=${props} />`;function Part({name,props}){return ut(()=>{parts.peek()||
load3()},[]),parts.value?nn`<${parts.value[name]} ...${props} />`:failure2.value?nn`<${ErrorMessage} error=${failure2.value} again=${load3} />`:
nn`<${Waiting} />`}var month=new Intl.DateTimeFormat("en",{month:"long",year:"numeric",timeZone:"UTC"}),isImport=({groups,total})=>groups.length>
0&&groups.reduce((sum,one)=>sum+one.total,0)===total;function summaryOf({groups,total}){let count=part=>new Set(groups.map(
one=>one[part])).size,from=`from ${numberOf(count("month"),"month")}, ${numberOf(count("project"),"project")}`;return`${numberOf(
total,"note")} proposed, ${from}`}function projectsOf(groups){let projects=new Map;for(let group of groups){let{total=0,
groups:others2=[]}=projects.get(group.project)??{};projects.set(group.project,{project:group.project,total:total+group.total,
groups:[group,...others2]})}return[...projects.values()]}var groupKey=group=>`${group.month}
${group.project}`;function byGroup(edits){let groups=new Map;for(let edit of edits){if(edit.project===null||edit.month===
null)continue;let key=groupKey({project:edit.project,month:edit.month});groups.set(key,[...groups.get(key)??[],edit])}return groups}
var monthText=text=>text?month.format(new Date(`${text}-01`)):"No date";function targetsIn(notes){let links=new Map,source=notes.
map(({html})=>html).join(""),{body}=new DOMParser().parseFromString(source,"text/html");for(let link of body.querySelectorAll(
"a[data-note]")){let target=link.getAttribute("data-note")??"";links.set(target,{target,isMissing:link.matches(".missing")})}
for(let property of body.querySelectorAll(".property")){let[name,value]=[...property.children].map(({textContent})=>textContent??
"");if(name!=="project"||!value?.startsWith("[[")||!value.endsWith("]]"))continue;let target=value.slice(2,-2);links.has(
target)||links.set(target,{target,isMissing:null})}return[...links.values()]}function leadsTo(target,name){let[wanted,whole]=[
folded(target),folded(name)];return whole===wanted||whole.endsWith(`/${wanted}`)}var folded=name=>name.normalize("NFC").
toLowerCase();var BY_OTHER_PROGRAMS={hand:"By hand",away:"While zkmem was not running"},byOthers=outside=>BY_OTHER_PROGRAMS[outside]??
outside;function nameOf({client,outside,own=!1,synchronised=!1}){return outside?byOthers(outside):own?"You":client||(synchronised?
"Synchronisation":"Somebody")}var KEYS=["kind","client","folder","sitting"];function filterOf(query2){let given=new URLSearchParams(query2??""),filter={};
for(let key of KEYS)given.get(key)&&(filter[key]=given.get(key)??"");return filter}var IN_A_SENTENCE={hand:"changes by hand",away:"changes while zkmem was not running"};function leadOf({clients,edits,since},now2){let tools=clients.filter(({
outside})=>!outside),who=[tools.length===1?tools[0].client||"Somebody":tools.length>1&&numberOf(tools.length,"client"),...clients.
map(({outside})=>outside&&(IN_A_SENTENCE[outside]??byOthers(outside)))].filter(Boolean),all=who.length>1?`${who.slice(0,
-1).join(", ")} and ${who.at(-1)}`:String(who[0]??"Somebody");return`${tools.length?all:all[0].toUpperCase()+all.slice(1)}, ${numberOf(edits,"edit")}${since===null?"":` since ${sinceText(since,now2)}`}`}function countText({kind,notes},isFirst=!1){
return`${isFirst?numberOf(notes,"note"):formatNumber(notes)} ${kind}`}var clientsToChoose=clients=>clients.map(one=>({...one,
value:one.client||one.outside})).filter(({value})=>value),seenText=(total,isSome)=>`Mark ${isSome?"these":"all"} ${formatNumber(
total)} as seen`,isDestroying=kind=>kind==="deleted"||kind==="overwritten",keyOf=({note,client,outside,first})=>`${first} ${outside}/${client}/${note}`;function withDone(lines,shown2,done){let all=lines.map(line=>{let mine=done.get(keyOf(line));
return mine?.edit===line.edit?mine:line}),place=0;for(let key of shown2.map(keyOf)){let at2=all.findIndex(one=>keyOf(one)===
key),gone=done.get(key);at2>=0?place=at2+1:gone&&all.splice(place++,0,gone)}return all}var whyNoUndo=outside=>outside.startsWith(
"git ")?"git made these changes; undo them with git.":"",addressOf2=({note,edit,first})=>({note,edit,first}),mayUndo=({undone,
outside})=>vault.value?.can_write&&!undone&&!whyNoUndo(outside);function Boundary({children}){let[error,again]=$t(failure3=>reportError(failure3));return error?nn`<p class="trouble">This part could not be shown. <button type="button" onClick=${again}>Try
    again</button></p>`:children}function Size({added,removed}){if(!added&&!removed)return null;let words=`${numberOf(added??0,"word")} added, ${formatNumber(
removed??0)} removed`;return nn`<span class="words"><span class="unseen">${words}</span><span aria-hidden="true">${added?
nn`<ins class="marked">+${formatNumber(added)}</ins> `:""}${removed?nn`<del class="marked">−${formatNumber(removed)}</del> `:
""}${(removed||added)===1?"word":"words"}</span></span>`}function Lines2({lines:listed2,again,onSeen,opened,setOpened}){let list2=ft(null),shown2=ft([]),[done,setDone]=ot(new Map),
last=ft(-1),[undoing2,setUndoing]=ot(null),lines=shown2.current=withDone(listed2,shown2.current,done),deal=line=>setDone(
before2=>new Map(before2).set(keyOf(line),line)),tick=async line=>{let viewed=!line.viewed;viewed&&opened.has(keyOf(line))&&
toggle2(line),deal({...line,viewed});try{await api.viewed({lines:[addressOf2(line)],viewed})}catch(error){throw deal(line),
error}again()},toggle2=line=>{let key=keyOf(line);setOpened(opened.has(key)?new Set([...opened].filter(one=>one!==key)):
new Set([...opened,key]))},rows=()=>[...list2.current?.querySelectorAll("[data-row]")??[]].filter(one=>one instanceof HTMLElement),
place=()=>rows().findIndex(row=>row.closest(".line")===document.activeElement?.closest(".line")),move=by=>{let from=place()<
0?last.current:place(),all=rows();all[Math.max(0,Math.min(all.length-1,from+by))]?.focus()},withCurrent=act=>()=>{let line=lines[place()];
line&&act(line)},ask=what=>{let reason=whyNoUndo(what.line.outside);reason?toast(reason):mayUndo(what.line)&&setUndoing(
what)};return useActions([{title:"Review: next note",key:"j",act:()=>move(1)},{title:"Review: previous note",key:"k",act:()=>move(
-1)},{title:"Review: mark this note as seen",key:"x",act:withCurrent(line=>{tick(line).catch(showError),line.viewed||move(
1)})},{title:"Review: undo what was done to this note…",key:"u",act:withCurrent(line=>ask({line}))},{title:"Review: mark all as seen",key:"s",act:onSeen}]),nn`<ul class="lines" ref=${list2} aria-label="What happened to each note" onKeyDown=${moveInList}
      onFocusIn=${()=>last.current=place()}>
      ${lines.map(line=>nn`<${Boundary} key=${keyOf(line)}><${Row} line=${line} isOpen=${opened.has(keyOf(line))}
          onToggle=${()=>toggle2(line)} onTick=${()=>tick(line).catch(showError)}
          onUndo=${passage=>ask({line,passage})} /></${Boundary}>`)}
    </ul>
    ${undoing2&&nn`<${UndoDialog} which=${{...addressOf2(undoing2.line),passage:undoing2.passage}} title=${titleOf(undoing2)}
        onDone=${()=>undoing2.passage===void 0&&deal({...undoing2.line,undone:!0,viewed:!0})}
        onClose=${()=>setUndoing(null)} />`}`}var titleOf=({passage})=>passage===void 0?"Undo what was done to this note?":"Undo this passage?";function Row({line,isOpen,onToggle,onTick,onUndo}){let{note,kind,words,added,removed,client,version,
outside,began,ended,viewed,undone}=line,item=useElement(HTMLLIElement);return ut(()=>{isOpen&&item.current.contains(document.
activeElement)&&item.current.scrollIntoView({block:"nearest"})},[isOpen]),nn`<li ref=${item} class=${`line ${viewed?"viewed":""}`} style=${{"--hue":hueOf(client||outside)}}>
    <div class="line-head">
      <label title="Seen (x)"><input type="checkbox" checked=${viewed} onChange=${onTick}
        aria-label=${`Seen: ${isolated(note)}`} /></label>
      <button type="button" class="line-row" data-row aria-expanded=${isOpen} onClick=${onToggle}>
        <i class="dot" aria-hidden="true"></i><span class="line-note">${note}</span>
        <span class=${isDestroying(kind)?"line-words destroyed":"line-words"}>${directionless(words)}${undone&&nn` <span class="tag">undone</span>`}</span>
        ${!isDestroying(kind)&&nn`<${Size} added=${added} removed=${removed} />`}
        <span class="line-who" title=${[nameOf(line),version].filter(Boolean).join(" ")}>${nameOf(line)}</span>
        <${When} time=${ended} since=${began} />
      </button>
    </div>
    ${isOpen&&nn`<${Opened} line=${line} onUndo=${onUndo} />`}
  </li>`}var PART2=50,MOST4=200;function News({filter={},few,isQuiet=!1}){let[parts2,setParts]=ot(1),[opened,setOpened]=ot(new Set),
head=ft(null),key=JSON.stringify(filter),load4=()=>loadParts(filter,few??PART2,few?1:parts2),{data:brief,error,again}=useLoad(
load4,[key,parts2,takenBack.value]);useChanges(again),ut(()=>{brief&&!filter.sitting?unseen.value=brief.edits:brief&&countUnseen().
catch(()=>{})},[brief]);let seen=useAction(async()=>{if(!brief?.lines.length)return;let takeBack=await markSeen(brief,filter),
undo=async()=>{await takeBack(),await countUnseen(),takenBack.value+=1},back={title:"Undo",act:()=>undo().catch(showError)};
toast(`Marked as seen: ${numberOf(brief.total,"note")}.`,"info",back),head.current?.focus(),again()});if(!brief)return error?
nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`;if(isQuiet&&!brief.edits)return null;let{lines,
total,next}=brief,isOpen=lines.length>0&&lines.every(line=>opened.has(keyOf(line)));return nn`<section class="news-section" aria-label="What happened">
    <header class="brief">
      <p class="sentence" ref=${head} tabindex="-1"><${Sentence2} brief=${brief} filter=${filter} /></p>
      ${lines.length>0&&nn`<div class="toolbar" role="toolbar" aria-label="All of it">
          ${lines.some(line=>!line.seen&&!line.own&&!line.undone)&&nn`<button type="button" aria-keyshortcuts="s" title="Mark as seen (s)"
              onClick=${seen.act} disabled=${seen.busy}>${seenText(total,Object.keys(filter).length>0)}</button>`}
          <button type="button" aria-expanded=${isOpen}
            onClick=${()=>setOpened(new Set(isOpen?[]:lines.map(keyOf)))}>${isOpen?"Close all":"Open all"}</button>
          ${filter.sitting&&nn`<${UndoAll} brief=${brief} />`}
          ${!few&&nn`<${Folders2} brief=${brief} filter=${filter} /><${Clients} brief=${brief} filter=${filter} />`}
        </div>`}
      <${ErrorMessage} error=${seen.error??error} />
    </header>
    <${Lines2} key=${key} lines=${lines} again=${again} onSeen=${seen.act} opened=${opened} setOpened=${setOpened} />
    ${few?next&&nn`<p><a href=${reviewHash()}>All ${numberOf(total,"note")}</a></p>`:next&&nn`<button type="button" onClick=${()=>setParts(
parts2+1)}>Show ${numberOf(Math.min(PART2,total-lines.length),"more note")}</button>`}
  </section>`}async function loadParts(filter,size,parts2){let whole=await api.brief(filter,0,size);for(let part=1;part<
parts2&&whole.next;part+=1){let{lines,next}=await api.brief(filter,whole.next,size);whole.lines.push(...lines),whole.next=
next}return whole}async function countUnseen(){unseen.value=(await api.brief({},0,1)).edits}async function markSeen({last},{
sitting,...filter}){if(!Object.keys(filter).length){let{edits}=await api.markSeen(sitting?{edit:Number(sitting)}:{edit:last,
earlier:!0});return async()=>edits.length&&api.markUnseen({edits})}let lines=[];for(let from=0;from!==null;){let part=await api.
brief({sitting,...filter},from,MOST4);lines.push(...part.lines.filter(({edit})=>edit<=last)),from=part.next}let places=lines.
filter(({viewed})=>!viewed).map(addressOf2);return await setViewed(places,!0),()=>setViewed(places,!1)}async function setViewed(places,viewed){
for(let from=0;from<places.length;from+=MOST4)await api.viewed({lines:places.slice(from,from+MOST4),viewed})}function Sentence2({
brief,filter}){let{kind,...rest}=filter,isFiltered=Object.keys(filter).length>0;return!brief.edits&&!filter.sitting?"Nothing new since you last looked.":nn`${leadOf(brief,now.value/1e3)}: ${brief.counts.map((count,at2)=>nn`${at2>0&&" "}<span><a href=${reviewHash(
{...rest,kind:count.kind})}
      aria-current=${kind===count.kind?"true":void 0}
      class=${isDestroying(count.kind)?"destroyed":""}>${countText(count,at2===0)}</a>${at2<brief.counts.length-1?",":"."}</span>`)}${brief.
unread>0&&` Not compared, so perhaps overwritten: ${numberOf(brief.unread,"note")}.`}${" "}${isFiltered&&nn`<a href=${reviewHash()}>Show everything new</a>`}${isFiltered&&
brief.edits>0&&" · "}${brief.edits>0&&nn`<a href=${replayHash(filter.sitting??"unseen")}>Replay on the map</a>`}`}function Clients({
brief:{clients},filter}){return clients.length<2?null:clientsToChoose(clients).map(({client,outside,version,notes,value})=>nn`<a class="button" key=${value} title=${version}
      href=${reviewHash({...filter,client:value})} aria-current=${filter.client===value?"true":void 0}
      style=${{"--hue":hueOf(value)}}><i class="dot" aria-hidden="true"></i>${nameOf({client,outside})} <span
      class="count">${notes}</span></a>`)}function Folders2({brief:{folders},filter}){let named2=folders.filter(({folder:folder2})=>folder2);
if(folders.length<2||!named2.length)return null;let choose=({currentTarget:{value}})=>{go(reviewHash({...filter,folder:value}))};
return nn`<select aria-label="Lines of a folder" value=${filter.folder??""} onChange=${choose}>
    <option value="">All folders</option>
    ${named2.map(({folder:folder2,notes})=>nn`<option key=${folder2} value=${folder2}>
        ${`${folder2}/ (${formatNumber(notes)})`}</option>`)}
  </select>`}function UndoAll({brief}){let[asking,setAsking]=ot(!1),{lines,clients,edits}=brief,outside=clients[0]?.outside??
"",reason=whyNoUndo(outside);if(!vault.value?.can_write||lines.every(({undone})=>undone))return null;if(reason)return nn`<span class="quiet">${reason}</span>`;
let about2=`${numberOf(edits,outside?"change":"edit")} by ${nameOf(lines[0])}`;return nn`<button type="button" class="danger" onClick=${()=>setAsking(
!0)}>Undo all of this…</button>
    ${asking&&nn`<${UndoDialog} which=${{edit:lines[0].sitting,sitting:!0}} about=${about2} title="Undo all of this?"
        onClose=${()=>setAsking(!1)} />`}`}var COUNT=8,LINES=8,FEW=3;function Home(){let{data:loaded2,error,again}=useLoad(()=>api.home(COUNT),[]);useChanges(again),
ut(()=>{loaded2&&loadWhenIdle()},[!loaded2]);let hasFew=loaded2!==void 0&&loaded2.recent.length<FEW,data=hasFew&&!askedProposed.
value?void 0:loaded2,isNew=data!==void 0&&hasFew&&!proposed.value.some(isImport);return nn`<article class="home">
    <h2 class="title" tabindex="-1">${isNew?"Welcome":vault.value?.name??""}</h2>
    ${isNew&&nn`<${Welcome} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${proposed.value.map(set=>nn`<${Waits} key=${set.client} set=${set} />`)}
    <${News} few=${LINES} isQuiet=${isNew} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${pinned.value.length>0&&nn`<${Section} title="Pinned">
        <ul class="pins" onKeyDown=${moveInList}>
          ${pinned.value.map(name=>nn`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
        </ul>
      <//>`}
    ${data!==void 0&&data.hints.length>0&&nn`<${Section} title="Where to start" more=${{href:"#/list/hints",text:"All"}}>
      <${EntryMark} ...${data.hint} />
      <${Openings} label="Where to start" notes=${data.hints} />
    <//>`}
    ${data!==void 0&&data.recent.length>0&&nn`<${Section} title="Recently changed">
      <${Openings} label="Recently changed" notes=${data.recent} dated />
    <//>`}
    ${vault.value?.can_write&&!isNew&&nn`<p><button type="button" onClick=${()=>creating.value=""}>New note…</button></p>`}
  </article>`}var Waits=({set})=>nn`<p class="notice" style=${{"--hue":hueOf(set.name)}}>
  <i class="dot" aria-hidden="true"></i>${isImport(set)?summaryOf(set):`${set.name} proposes ${numberOf(set.total,"edit")}`}.${" "}
  <a class=${isImport(set)?"button primary":""} href="#/review">Look at them</a></p>`,Section=({title,more,children})=>nn`<section aria-label=${title}>
  <h3>${title} ${more&&nn`<a href=${more.href}>${more.text}</a>`}</h3>
  ${children}
</section>`,Openings=({label,notes,dated=!1})=>nn`<ul class="openings" aria-label=${label}
  onKeyDown=${moveInList}>
  ${notes.map(({name,line,changed:changed2})=>{let{folders,last}=parted(name);return nn`<li key=${name}>
      <a href=${noteHash(name)} data-row><small>${folders}</small>${last}</a>
      ${dated&&nn`<span class="meta"><${When} time=${changed2} /></span>`}
      <p dir="auto">${line}</p>
    </li>`})}
</ul>`;function Welcome(){let{name,token:token2,person,vaults=[]}=vault.value??{},header=token2&&!person?' --header "Authorization: Bearer TOKEN"':"",line=`claude mcp add --transport http ${vaults.length>1?`zkmem-${name}`:"zkmem"} ${new URL(
"mcp",location.href)}${header}`;return nn`<ol class="steps">
    <li>
      <h3>Add a client</h3>
      <p>What your model writes then appears here at once. For Claude Code:</p>
      <p class="line"><code>${line}</code><button type="button" onClick=${()=>navigator.clipboard.writeText(line).then(()=>toast(
"Copied."),error=>showError(error))}>Copy</button></p>
      ${header&&nn`<p class="quiet">TOKEN stands for a token of this vault; <code>zkmem token add NAME</code> makes
        one.</p>`}
      <p class="quiet">On the machine of the vault, <code>zkmem install CLIENT --vault FOLDER</code> adds
        other clients; <code>zkmem install --list</code> names them. FOLDER is the folder of this vault.</p>
    </li>
    ${vault.value?.can_write&&nn`<li>
        <h3>Write a note</h3>
        <p>Each note is a Markdown file in the vault's folder. The note <code>hint</code> is where readers start.</p>
        <p><button type="button"
          class="primary" onClick=${()=>creating.value=firstName()}>Create a note…</button></p>
      </li>`}
    <li>
      <h3>Or look around first</h3>
      <p>A clone of zkmem has a sample of 44 notes, which a second server shows on a port of its own:${" "}
        <code>zkmem serve sample_vault --mode http --port 0</code></p>
    </li>
  </ol>`}var firstName=()=>`${vault.value?.folder?`${vault.value.folder}/`:""}hint`;function Panel(){return Nt(arriveAtView,[address.value.position,parts.value]),route.value.view?nn`<${View} route=${route.
value} />`:nn`<${Home} />`}var SHOWN=3e4,VERBS={merged:"merged another note into",extracted:"took a passage out of",created:"created",changed:"changed",renamed:"renamed",deleted:"deleted",restored:"restored"};function Strip(){let[deed,setDeed]=ot(null),look=async()=>{
let review=await api.review(null,1).catch(()=>null);return review&&(unseen.value=review.unseen),review};return ut(()=>{route.
peek().view&&look()},[]),useChanges(async names=>{let review=await look(),next=review?.sittings[0]&&!isOwn(changed.peek().
by??"")&&await deedOf(review.sittings[0],names);next&&setDeed(next)}),ut(()=>{if(!deed)return;let timer=setTimeout(()=>setDeed(
null),SHOWN);return()=>clearTimeout(timer)},[deed]),nn`<div class="strip" role="status" hidden=${!deed}>${deed&&nn`<${Shown} ...${deed} />`}</div>`}
function Shown({client,name,outcome,from,more}){return nn`<p style=${{"--hue":hueOf(client)}}>
    <i class="dot" aria-hidden="true"></i><strong>${client}</strong> ${VERBS[outcome]}${" "}
    ${outcome==="deleted"?nn`<em>${name}</em>`:nn`<a href=${noteHash(name)}>${name}</a>`}
    ${from&&nn`, linked from <a href=${noteHash(from)}>${from}</a>`}
    ${more>0&&nn` and <a href="#/review">${more} more</a>`}
  </p>`}async function deedOf({client,own,undone,notes},names){let now2=notes.filter(note2=>note2.outcome in VERBS&&(!names||
names.includes(note2.name)));if(own||undone||!client||!now2.length)return null;let[{name,outcome}]=now2.slice(-1),from=(outcome===
"created"?await api.note(name).catch(()=>null):null)?.backlinks.find(other=>other!==name)??null;return{client,name,outcome,
from,more:now2.length-1}}function Toasts(){let{names,by,at:at2}=changed.value,who=by&&!isOwn(by)?`${by} changed`:"Changed:";return nn`<div class="unseen" role="log" aria-live="polite" id="changes">
      ${at2>0&&nn`<p key=${at2}>${who} ${listed(names)}</p>`}
    </div>
    <div class="toasts" aria-live="polite" aria-label="Messages" role="region">
      <${TokenWanted} />
      ${toasts.value.map(({id,message,kind,offer})=>nn`<div class=${`toast ${kind}`} key=${id} role=${kind==="error"?"alert":void 0}>
        <span>${directionless(message)}</span>
        ${offer&&nn`<${Offered} id=${id} offer=${offer} />`}
        <button type="button" aria-label="Close this message" onClick=${()=>dismiss(id)}>×</button>
      </div>`)}
    </div>`}function Offered({id,offer:{title,act}}){return nn`<button type="button" class="offer" onClick=${()=>{dismiss(
id),act()}}>${title}</button>`}function listed(names){return names===null?"many notes":names.slice(0,3).map(isolated).join(
", ")+(names.length>3?` and ${names.length-3} more`:"")}var MINUTE_MS=6e4;function App(){return nn`<a class="skip" href="#panel" onClick=${toPanel2}>To the notes</a>
    <div class=${`parts show-${tab2.value}`}>
      <div class="left"><${Bar} /><${Tabs} /><${Folders} /></div>
      <div class="right">
        <${Strip} />
        <div id="panel" tabindex="-1">
          <main>${isBegun()?nn`<${Panel} />`:nn`<${Waiting} what="the notes of the vault" />`}</main>
          <div class="aside" role=${tab2.value==="graph"?"main":"complementary"}
            aria-label=${tab2.value==="graph"?"Map":"Beside the note"}>
            <section id="graph" aria-label="Map">${vault.value&&nn`<${MapView} />`}</section>
            ${parts.value&&nn`<${parts.value.Side} />`}
          </div>
        </div>
      </div>
    </div>
    <${Toasts} /><${SignIn} /><${SignInAgain} /><${Commands} />${parts.value&&nn`<${parts.value.Dialogs} />`}`}var isBegun=()=>vault.
value!==null||!(tokenQuestion.value||isSignInNeeded.value);function toPanel2(event){event.preventDefault(),tab2.value="panel",document.getElementById("panel")?.focus()}function onKey(event){if(event.key==="Escape"&&tab2.peek()==="panel"||event.
defaultPrevented||event.ctrlKey||event.metaKey||event.altKey||event.isComposing)return;let isInTool=event.target instanceof
Element&&event.target.closest(".controls, .replay");if(belongsToField(event)&&!(event.key==="Escape"&&isInTool))return;let keys2={
"/":()=>document.getElementById("search")?.focus(),"?":()=>helpShown.value=!0,g:toggleMap,Escape:()=>closeTool()||endReplay()||
(tab2.peek()==="graph"?closeMap():tab2.value="panel")};keys2[event.key]&&(event.preventDefault(),keys2[event.key]())}function closeTool(){
let tool=document.querySelector(".controls[open]");return tool instanceof HTMLDetailsElement?(tool.querySelector("summary")?.focus(),tool.open=!1,!0):!1}function titleParts({view,name,list:list2,at:at2},vaultName){let kind={history:"History",
review:"Review",tidy:"Tidy",map:list2===null?"Map":"Replay",search:`Search: ${list2}`,list:LISTS[list2??""]?.title}[view];
return[name,at2&&"As it was",kind,vaultName,"zkmem"].filter(Boolean).map(part=>isolated(String(part)))}async function start(){
Tt(nn`<${App} />`,document.body),addEventListener("keydown",onKey);let{name}=vault.value=await api.vault();A(()=>{document.
title=titleParts(route.value,name).join(" – ")}),setInterval(()=>now.value=Date.now(),MINUTE_MS),followProposed(),followEvents()}
start().catch(showError);addEventListener("load",()=>{let version=fileOf(".").split("/").at(-2);navigator.serviceWorker?.
register(`serviceworker.js?${version}`).catch(()=>{})});export{ot,ut,Nt,ft,Et,le,L,K,A,nn,ApiError,statusOf,CAN_USE_PASSKEYS,FOLDER,fileOf,vault,changed,canWrite,unseen,proposed,
now,route,address,confirmLeave,tab2 as tab,openNote,pinned,sliderWanted,takeFiles,depth,helpShown,paletteShown,noteToEdit,
undoing,signInsShown,themeChanges,colourBy,labels,showMissing,folder,tag,writer,days,leaveOut,until,sizeBy,sizeScale,pathEnds,
path,hiddenGroups,around,noteNames,about,stage,picture,layout,graphEtag,folderSlots,facts,replaying,noteToShow,style,addPasskey,
isTyping,belongsToField,useKey,request,api,TURN,savedPositions,savePositions,savedSlots,saveSlots,isolated,directionless,
OUTSIDE,headingKey,placeOf,headingAt,show,arrive,noteHash,linkHash,placeHash,tagHash,searchHash,reviewHash,replayHash,historyHash,
editHash,baseHash,open,go,endReplay,correctAddress,parse,decoded,Sentence,formatNumber,numberOf,useLoad,useChanges,namesIn,
ErrorMessage,script,Waiting,moveInList,Diff,Lines,usePreview,Preview,useAction,useElement,useModal,toast,showError,authorOf,
clientOf,isOwn,before,isNumber,pastOf,restored,placeIn2 as placeIn,fit,isFile,parted,ranked,hueOf,Boundary,Size,Dialog,Question,
useActions,actionsNow,NameField,timeText,dayText,sinceText,agoText,When,byOthers,nameOf,NewNote,createOrRestore,filterOf,
countText,isDestroying,whyNoUndo,addressOf2 as addressOf,mayUndo,parts,News,isImport,summaryOf,projectsOf,groupKey,byGroup,
monthText,targetsIn,leadsTo,folded,throttled,fetchProposed,HitDate,Passage,find,Lists,Tag,KINDS2 as KINDS,Tidy,toggleMap,
focusInGraph};
